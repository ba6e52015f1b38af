#include "compiler/proofs.h"

#include <algorithm>

#include "compiler/broken.h"
#include "compiler/reach.h"

namespace einkorn::compiler {

namespace {

Range text_of(const Plan& plan) { return plan.function->directives[size_t(plan.region)].statement; }

bool has_labels(const Plan& plan) {
  const std::vector<Range>& labels = plan.function->labels;
  return std::any_of(labels.begin(), labels.end(), [&](const Range& l) { return text_of(plan).has(l); });
}

// A task that shares it may run when the codelet that made it has ended, and write it.
bool is_shared_by_task(const Plan& plan, int v) {
  const Function& f = *plan.function;
  for (const Directive& d : f.directives)
    if (d.task && text_of(plan).has(d.pragma.begin))
      for (const Clause& c : d.clauses)
        if (c.kind != Clause::firstprivate && c.kind != Clause::private_ && has_variable(c.variables, v)) return true;
  return false;
}

// Where control may be again after the sync point, while the object is still the same: the outermost loop around the
// point within which it is not declared anew. With a label in the text any place may follow any other.
Range again(const Object& o, const Sync& s) {
  if (has_labels(o.plan)) return o.name;
  Range outermost{};
  for (const Range& loop : o.plan.function->loops)
    if (text_of(o.plan).has(loop) && loop.has(s.inside) && loop.end <= o.name.end &&
        (outermost.empty() || loop.begin < outermost.begin))
      outermost = loop;
  return outermost;
}

bool is_dead(const Object& o, const Sync& s) {
  const Function& f = *o.plan.function;
  if (o.plan.reach[size_t(o.variable)] == Reach::reduced) return false;  // combined at the end
  // Before its declaration, which begins it anew.
  if (o.inner && !o.name.has(s.inside)) return true;
  for (const Clause& c : f.directives[size_t(o.plan.region)].clauses)
    if (c.kind != Clause::private_ && c.kind != Clause::firstprivate && has_variable(c.variables, o.variable))
      return false;  // given back at the end
  const Range loop = again(o, s);
  return std::none_of(f.uses.begin(), f.uses.end(), [&](const Use& u) {
    return u.variable == o.variable && o.name.has(u.at) && (u.at >= s.at || loop.has(u.at));
  });
}

bool is_unset(const Object& o, const Sync& s) {
  const Function& f = *o.plan.function;
  // What a clause or a call gives an object stands nowhere as a use; only private ones begin without a value.
  const Reach reach = o.plan.reach[size_t(o.variable)];
  if (reach != Reach::plain && reach != Reach::copy) return false;
  if (o.inner && f.variables[size_t(o.variable)].has_init) return false;
  const Range loop = again(o, s);
  return std::none_of(f.uses.begin(), f.uses.end(), [&](const Use& u) {
    const bool only_reads = u.how == Use::read || u.how == Use::whole;
    return u.variable == o.variable && o.name.has(u.at) && !only_reads && (u.at < s.at || loop.has(u.at));
  });
}

bool is_named(const Unit& unit, const Object& o, const Sync& s) {
  const Function& f = *o.plan.function;
  const std::string& name = f.variables[size_t(o.variable)].name;
  for (const Variable& other : f.variables)
    if (other.name == name && !other.file_scope && other.at > o.name.begin && o.name.has(other.at) &&
        other.block.has(s.inside))
      return false;
  // Types, constants and functions that a block declares.
  for (size_t t = 0; t < f.types.size(); ++t)
    if (f.types[t] == name && f.type_scopes[t].has(s.inside) && f.type_scopes[t].begin > o.name.begin) return false;
  const auto is_it = [&](const Range& r) { return unit.text.compare(r.begin, r.end - r.begin, name) == 0; };
  return std::find(unit.macros.begin(), unit.macros.end(), name) == unit.macros.end() &&
         std::none_of(unit.macro_changes.begin(), unit.macro_changes.end(), is_it);
}

}  // namespace

bool is_object(const Plan& plan, int variable) {
  const Variable& it = plan.function->variables[size_t(variable)];
  const Reach reach = plan.reach[size_t(variable)];
  if (reach == Reach::copy || reach == Reach::first || reach == Reach::reduced) return true;
  return reach == Reach::plain && !it.file_scope && !it.scope.empty() && text_of(plan).has(it.at);
}

Object object_of(const Plan& plan, int variable) {
  const Variable& it = plan.function->variables[size_t(variable)];
  const bool inner = plan.reach[size_t(variable)] == Reach::plain;
  const Range all = text_of(plan), name = inner ? it.scope : all;
  return {plan, variable, inner, name, inner && has_labels(plan) ? it.block : name};
}

bool address_stays(const Object& o) {
  const Variable& it = o.plan.function->variables[size_t(o.variable)];
  if (it.type.is_volatile || is_shared_by_task(o.plan, o.variable)) return false;
  const std::vector<Use>& uses = o.plan.function->uses;
  const bool stays = !it.address_taken && std::none_of(uses.begin(), uses.end(), [&](const Use& u) {
    return u.variable == o.variable && o.name.has(u.at) && (u.how == Use::decays || u.how == Use::address);
  });
  return EINKORN_PROOF("address_stays", stays);
}

bool is_elsewhere_at(const Object& o, const Sync& s) {
  return EINKORN_PROOF("is_elsewhere_at",
                       !o.lifetime.has(s.inside) || (o.inner && !has_labels(o.plan) &&
                                                     s.inside <= o.plan.function->variables[size_t(o.variable)].at));
}

bool is_dead_at(const Object& o, const Sync& s) { return EINKORN_PROOF("is_dead_at", is_dead(o, s)); }
bool is_unset_at(const Object& o, const Sync& s) { return EINKORN_PROOF("is_unset_at", is_unset(o, s)); }
bool is_named_at(const Unit& unit, const Object& o, const Sync& s) {
  return EINKORN_PROOF("is_named_at", is_named(unit, o, s));
}

}  // namespace einkorn::compiler
