#include "compiler/live.h"

#include <algorithm>

namespace einkorn::compiler {

namespace {

// A task that shares it may run when the codelet that made it has ended.
bool is_shared_by_task(const Plan& plan, int v) {
  const Function& f = *plan.function;
  for (const Directive& d : f.directives)
    if (d.task && f.directives[plan.region].statement.has(d.pragma.begin))
      for (const Clause& c : d.clauses)
        if (c.kind != Clause::firstprivate && c.kind != Clause::private_ &&
            std::find(c.variables.begin(), c.variables.end(), v) != c.variables.end())
          return true;
  return false;
}

bool may_make_tasks(const Plan& plan) {
  const Function& f = *plan.function;
  const Range region = f.directives[plan.region].statement;
  for (const Directive& d : f.directives)
    if ((d.task || d.kind == Directive::invoke) && region.has(d.pragma.begin)) return true;
  for (const Call& c : f.calls)
    if (c.is_called && region.has(c.at)) return true;
  for (const Note& n : f.notes)
    if (n.kind == Note::calls && region.has(n.at)) return true;
  return false;
}

// By where names stand in the text: C has no way back but loops and labels. What is found live and is not costs two
// moves.
class Living {
 public:
  explicit Living(Plan& plan) : plan_(plan), f_(*plan.function), region_(f_.directives[plan.region].statement) {
    for (const Range& l : f_.labels) has_labels_ |= region_.has(l);
  }

  std::string run() {
    for (size_t v = 0; v < f_.variables.size(); ++v) {
      const Variable& it = f_.variables[v];
      const Reach reach = plan_.reach[v];
      const bool inner = reach == Reach::plain && !it.file_scope && region_.has(it.at) && !it.scope.empty();
      if (!inner && reach != Reach::copy && reach != Reach::first && reach != Reach::reduced) continue;
      const Range scope = inner ? it.scope : region_;
      std::vector<Sync*> live;
      const bool lasts = is_needed_by_tasks(plan_, int(v));
      for (Sync& s : plan_.syncs)
        if (scope.has(s.at) && (!inner || s.at > it.at) && (lasts || is_live(int(v), s, scope))) live.push_back(&s);
      if (live.empty()) continue;
      if (it.type.varies || it.type.local)
        return "'" + it.name + "' lives over a sync point, and its type or alignment cannot be had elsewhere";
      const bool must_stay = it.address_taken || it.type.kind == Type::array || (inner && it.type.is_const) ||
                             it.type.is_volatile || is_shared_by_task(plan_, int(v)) || it.type.kind == Type::other;
      if (!must_stay) {
        for (Sync* s : live) s->live.push_back(int(v));
        continue;
      }
      if (inner && (it.in_for || it.in_macro))
        return "'" + it.name + "' lives over a sync point in memory of its own, and is declared in a for or by a macro";
      if (inner && has_labels_)
        return "'" + it.name + "' lives over a sync point in memory of its own, and there are labels";
      if (reach == Reach::first || reach == Reach::reduced)
        return "'" + it.name + "' is firstprivate, and lives over a sync point in memory of its own";
      if (!inner) plan_.reach[v] = Reach::resident;
      plan_.own[v] = true;
    }
    return move_declarations();
  }

 private:
  // A declaration moves as a whole, and what it begins with may not point to where it was.
  std::string move_declarations() {
    for (size_t v = 0; v < f_.variables.size(); ++v) {
      const Variable& it = f_.variables[v];
      if (!plan_.own[v] || plan_.reach[v] != Reach::plain) continue;
      for (size_t w = 0; w < f_.variables.size(); ++w) {
        const Variable& beside = f_.variables[w];
        if (beside.declaration.empty() || beside.declaration.begin != it.declaration.begin) continue;
        if (beside.type.varies || beside.type.local || beside.in_macro || beside.is_static)
          return "'" + it.name + "' lives over a sync point in memory of its own, and '" + beside.name +
                 "' beside it cannot";
        plan_.own[w] = true;
        if (is_assignable(f_, int(w))) {
          for (Sync& s : plan_.syncs) s.live.erase(std::remove(s.live.begin(), s.live.end(), int(w)), s.live.end());
          continue;
        }
        for (Sync& s : plan_.syncs) s.live.erase(std::remove(s.live.begin(), s.live.end(), int(w)), s.live.end());
        for (const Use& u : f_.uses)
          if (u.variable == int(w) && it.declaration.has(u.at) && u.how != Use::read && u.how != Use::whole)
            return "'" + beside.name + "' lives over a sync point, and its declaration takes its address or changes it";
      }
    }
    return "";
  }
  bool is_live(int v, const Sync& s, Range scope) const {
    // The outermost loop around the point in which the variable is one and the same.
    Range again{};
    for (const Range& loop : f_.loops)
      if (region_.has(loop) && loop.has(s.at) && loop.end <= scope.end && (again.empty() || loop.begin < again.begin))
        again = loop;
    if (has_labels_) again = scope;
    bool used = plan_.reach[v] == Reach::reduced, set = plan_.reach[v] != Reach::copy && plan_.reach[v] != Reach::plain;
    if (f_.variables[v].has_init && plan_.reach[v] == Reach::plain) set = true;
    for (const Clause& c : f_.directives[plan_.region].clauses)
      if (c.kind == Clause::lastprivate && std::find(c.variables.begin(), c.variables.end(), v) != c.variables.end())
        used = true;
    for (const Use& u : f_.uses) {
      if (u.variable != v || !scope.has(u.at)) continue;
      if (u.at > s.at || again.has(u.at)) used = true;
      if (u.how >= Use::clause && (u.at < s.at || again.has(u.at))) set = true;
    }
    return used && set;
  }

  Plan& plan_;
  const Function& f_;
  const Range region_;
  bool has_labels_ = false;
};

}  // namespace

bool is_needed_by_tasks(const Plan& plan, int variable) {
  const Variable& it = plan.function->variables[variable];
  return (it.address_taken || it.type.kind == Type::array || is_shared_by_task(plan, variable)) && may_make_tasks(plan);
}

std::string find_live(Plan& plan) { return Living(plan).run(); }

}  // namespace einkorn::compiler
