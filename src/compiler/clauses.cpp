#include "compiler/clauses.h"

#include <algorithm>

#include "compiler/reasons.h"

namespace einkorn::compiler {

bool makes_own(const Directive& d, int variable) {
  if (std::find(d.counters.begin(), d.counters.end(), variable) != d.counters.end()) return true;
  if (d.loop.variable == variable && d.kind != Directive::kept) return true;
  if (std::find(d.firstprivate.begin(), d.firstprivate.end(), variable) != d.firstprivate.end()) return true;
  for (const Clause& c : d.clauses)
    if (c.kind == Clause::private_ || c.kind == Clause::firstprivate || c.kind == Clause::lastprivate ||
        c.kind == Clause::conditional || c.kind == Clause::reduction || c.kind == Clause::inscan ||
        c.kind == Clause::linear || c.kind == Clause::task_reduction || c.kind == Clause::in_reduction)
      if (std::find(c.variables.begin(), c.variables.end(), variable) != c.variables.end()) return true;
  return false;
}

bool is_dealt(const Directive& d) {
  if (d.kind != Directive::for_ && d.kind != Directive::parallel_for) return false;
  bool own = d.loop.plain;
  for (const Clause& c : d.clauses) {
    if (c.kind == Clause::collapse) own &= c.number == 1;
    if (c.kind == Clause::schedule) own &= c.op == "static" && c.number == 0;
    own &= c.kind != Clause::ordered;
  }
  return !own;
}

int loops_together(const Directive& d) {
  int count = 1;
  for (const Clause& c : d.clauses)
    if (c.kind == Clause::collapse || c.kind == Clause::ordered) count = std::max(count, c.number);
  return count;
}

std::vector<const Loop*> all_loops(const Directive& d) {
  std::vector<const Loop*> loops{&d.loop};
  for (const Loop& l : d.inner) loops.push_back(&l);
  return loops;
}

bool has_sections(const Function& f, const Directive& d) {
  return std::any_of(f.directives.begin(), f.directives.end(), [&](const Directive& s) {
    return s.name == "section" && s.parent >= 0 && &f.directives[size_t(s.parent)] == &d;
  });
}

bool is_rectangular(const Function& f, const Directive& d) {
  std::vector<int> counters{d.loop.variable};
  for (const Loop& l : d.inner) {
    for (const Use& u : f.uses)
      if (l.header.has(u.at) && std::find(counters.begin(), counters.end(), u.variable) != counters.end()) return false;
    counters.push_back(l.variable);
  }
  return true;
}

namespace {

// Headers are asked within each other, as text: has a counter the name of what another one needs?
bool hides_counter(const Function& f, const Directive& d) {
  const std::vector<const Loop*> loops = all_loops(d);
  for (const Loop* l : loops)
    for (const Use& u : f.uses)
      for (const Loop* other : loops)
        if (l->header.has(u.at) && u.variable != other->variable &&
            f.variables[size_t(u.variable)].name == f.variables[size_t(other->variable)].name)
          return true;
  return false;
}

}  // namespace

std::string why_no_last(const Function& f, const Directive& d) {
  const size_t count = size_t(loops_together(d));
  bool plain = d.loop.plain, linear = false;
  for (const Clause& c : d.clauses) linear |= c.kind == Clause::linear;
  for (const Loop& l : d.inner) plain &= l.plain;
  if (linear && !is_rectangular(f, d)) return because(Why::collapsed_linear, {d.name});
  if (!plain || d.inner.size() + 1 < count) return because(Why::collapsed_plain, {d.name});
  if (hides_counter(f, d)) return because(Why::collapsed_hidden, {d.name});
  if (count > 2 && !is_rectangular(f, d)) return because(Why::collapsed_bounds, {d.name});
  return "";
}

std::vector<int> of_last(const Directive& d) {
  std::vector<int> found;
  for (const Clause& c : d.clauses)
    if (c.kind == Clause::lastprivate || c.kind == Clause::linear)
      found.insert(found.end(), c.variables.begin(), c.variables.end());
  if (d.simd && d.kind != Directive::kept)
    for (const int v : d.counters)
      if (std::find(found.begin(), found.end(), v) == found.end()) found.push_back(v);
  return found;
}

std::vector<int> gives_back(const Directive& d) {
  std::vector<int> found = of_last(d);
  for (const Clause& c : d.clauses)
    if (c.kind == Clause::conditional || c.kind == Clause::inscan)
      found.insert(found.end(), c.variables.begin(), c.variables.end());
  return found;
}

bool begins_with_value(const Directive& d, int variable) {
  if (variable == d.loop.variable) return false;  // counted, whatever it was before
  bool first = false, last = false;
  for (const Clause& c : d.clauses)
    if (std::find(c.variables.begin(), c.variables.end(), variable) != c.variables.end()) {
      first |= c.kind == Clause::firstprivate || c.kind == Clause::linear;
      last |= c.kind == Clause::lastprivate || c.kind == Clause::conditional || c.kind == Clause::linear;
    }
  return first && last;
}

bool waits_for_its_tasks(const Directive& d) {
  return (d.name == "taskloop" || d.name == "taskloop simd") &&
         std::none_of(d.clauses.begin(), d.clauses.end(), [](const Clause& c) { return c.name == "nogroup"; });
}

bool is_given_back(const Function& f, const Directive& d, const Clause& c, size_t item) {
  if (!waits_for_its_tasks(d)) return false;
  if (c.kind == Clause::reduction) return c.number == 0 && c.reduced[item].plain;
  // Of what has no iteration nothing is: that has to be known.
  bool plain = d.loop.plain && d.inner.size() + 1 == size_t(loops_together(d)) && !hides_counter(f, d);
  for (const Loop& l : d.inner) plain &= l.plain;
  return c.kind == Clause::lastprivate && plain;
}

bool is_item_in_place(const Directive& d, const Clause& c) {
  if (d.kind != Directive::kept) return false;
  if (c.kind == Clause::task_reduction) return d.name == "taskgroup";
  if (d.name != "simd") return false;
  if (c.kind == Clause::reduction)
    return std::all_of(c.reduced.begin(), c.reduced.end(), [](const Reduced& r) { return !r.section; });
  return c.kind == Clause::lastprivate || c.kind == Clause::linear;
}

bool has_group_with(const Function& f, int region, const Directive& task, int variable) {
  for (int i = task.parent; i > region; i = f.directives[size_t(i)].parent)
    for (const Clause& c : f.directives[size_t(i)].clauses)
      if (c.kind == Clause::task_reduction &&
          std::find(c.variables.begin(), c.variables.end(), variable) != c.variables.end())
        return true;
  return false;
}

bool is_advice(const Clause& c) { return c.name == "aligned" || c.name == "nontemporal" || c.name == "affinity"; }

bool is_workshare(const Directive& d) {
  return d.kind == Directive::for_ || d.kind == Directive::sections || d.kind == Directive::single;
}

std::string why_not_shared(const Function& f, int region, const Directive& task) {
  for (const Clause& c : task.clauses)
    for (const int v : c.variables)
      for (int i = task.parent; c.kind == Clause::shared && i > region; i = f.directives[size_t(i)].parent) {
        const Directive& around = f.directives[size_t(i)];
        if (is_workshare(around) && makes_own(around, v))
          return because(Why::task_shares, {f.variables[size_t(v)].name, around.name});
      }
  return "";
}

bool is_word_of_openmp(const std::string& text, const Function& f, Range word) {
  for (const Directive& d : f.directives) {
    if (!d.pragma.has(word.begin)) continue;
    int depth = 0;
    size_t open = 0;
    for (size_t at = d.pragma.begin; at < word.begin; ++at) {
      if (text[at] == '(' && depth++ == 0) open = at;
      if (text[at] == ')') --depth;
    }
    if (depth == 0) return true;
    const size_t end = text.find_last_not_of(" \t", open - 1) + 1, begin = text.find_last_of(" \t_,)", end - 1) + 1;
    const std::string clause = text.substr(begin, end - begin);
    const size_t next = text.find_first_not_of(" \t", word.end);
    return clause == "critical" || (clause == "reduction" && next != std::string::npos && text[next] == ':');
  }
  return false;
}

}  // namespace einkorn::compiler
