#include "compiler/live.h"

#include <algorithm>

#include "compiler/proofs.h"
#include "compiler/reach.h"
#include "compiler/reasons.h"

namespace einkorn::compiler {

namespace {

bool may_make_tasks(const Plan& plan) {
  const Function& f = *plan.function;
  const Range region = f.directives[size_t(plan.region)].statement;
  for (const Directive& d : f.directives)
    if ((d.task || d.kind == Directive::invoke) && region.has(d.pragma.begin)) return true;
  for (const Call& c : f.calls)
    if (c.is_called && region.has(c.at)) return true;
  for (const Note& n : f.notes)
    if (n.kind == Note::calls && region.has(n.at)) return true;
  return false;
}

class Living {
 public:
  Living(const Unit& unit, Plan& plan) : unit_(unit), plan_(plan), f_(*plan.function) {}

  std::string run() {
    for (int v = 0; v < int(f_.variables.size()); ++v) {
      if (!is_object(plan_, v)) continue;
      if (const std::string why = object(v); !why.empty()) return why;
    }
    if (const std::string why = move_declarations(); !why.empty()) return why;
    for (int v = 0; v < int(f_.variables.size()); ++v)
      if (plan_.own[size_t(v)] && plan_.reach[size_t(v)] == Reach::copy) plan_.reach[size_t(v)] = Reach::resident;
    return "";
  }

 private:
  std::string object(int v) {
    const Object o = object_of(plan_, v);
    const Variable& it = f_.variables[size_t(v)];
    std::vector<Sync*> concerned;
    for (Sync& s : plan_.syncs)
      if (!is_elsewhere_at(o, s)) concerned.push_back(&s);
    if (address_stays(o)) {
      const auto is_nothing = [&](const Sync* s) { return is_dead_at(o, *s) || is_unset_at(o, *s); };
      concerned.erase(std::remove_if(concerned.begin(), concerned.end(), is_nothing), concerned.end());
      // A number or a pointer is saved by an assignment; all else would be a copy of all of it.
      const auto can_save = [&](const Sync* s) {
        return it.type.kind <= Type::complex && !(o.inner && it.type.is_const) && is_named_at(unit_, o, *s);
      };
      if (std::all_of(concerned.begin(), concerned.end(), can_save)) {
        for (Sync* s : concerned) s->live.push_back(v);
        if (!concerned.empty() && (it.type.varies || it.type.local)) return cannot_be_had(it);
        return "";
      }
    }
    if (concerned.empty()) return "";
    if (it.type.varies || it.type.local || it.type.over_aligned) return cannot_be_had(it);
    plan_.own[size_t(v)] = true;
    return "";
  }
  static std::string cannot_be_had(const Variable& it) { return because(Why::lives_type, {it.name}); }

  // A declaration moves as a whole.
  std::string move_declarations() {
    for (size_t v = 0; v < f_.variables.size(); ++v) {
      const Variable& it = f_.variables[v];
      if (!plan_.own[v] || plan_.reach[v] != Reach::plain) continue;
      if (it.declaration.empty()) return because(Why::lives_declaration, {it.name});
      bool is_list = false;
      for (size_t w = 0; w < f_.variables.size(); ++w) {
        const Variable& beside = f_.variables[w];
        if (beside.declaration.empty() || beside.declaration.begin != it.declaration.begin) continue;
        if (beside.in_macro || (beside.has_init && beside.init.empty())) return because(Why::lives_macro, {it.name});
        if (beside.type.varies || beside.type.local || beside.type.over_aligned || beside.is_static)
          return because(Why::lives_beside, {it.name, beside.name});
        is_list |= !is_begun_by_assignment(beside);
        plan_.own[w] = true;
        for (Sync& s : plan_.syncs) s.live.erase(std::remove(s.live.begin(), s.live.end(), int(w)), s.live.end());
      }
      if (it.in_for && is_list) return because(Why::lives_list, {it.name});
      if (it.in_for && is_counter(int(v))) return because(Why::lives_counter, {it.name});
    }
    return "";
  }
  bool is_counter(int v) const {
    return std::any_of(f_.directives.begin(), f_.directives.end(), [&](const Directive& d) {
      return d.loop.variable == v ||
             std::any_of(d.inner.begin(), d.inner.end(), [&](const Loop& l) { return l.variable == v; });
    });
  }

  const Unit& unit_;
  Plan& plan_;
  const Function& f_;
};

}  // namespace

bool is_needed_by_tasks(const Plan& plan, int variable) {
  return !address_stays(object_of(plan, variable)) && may_make_tasks(plan);
}

std::string find_live(const Unit& unit, Plan& plan) { return Living(unit, plan).run(); }

}  // namespace einkorn::compiler
