#include "compiler/scans.h"

#include <algorithm>

#include "compiler/body.h"
#include "compiler/instances.h"
#include "compiler/reasons.h"
#include "compiler/reduce.h"

namespace einkorn::compiler {

namespace {

bool has_clause(const Directive& d, Clause::Kind kind) {
  return std::any_of(d.clauses.begin(), d.clauses.end(), [&](const Clause& c) { return c.kind == kind; });
}

std::string table_name(const Plan& plan, int directive, int variable) {
  return "ek_each_" + field(plan, variable) + "_" + std::to_string(directive);
}

// The scan of a loop; -1: not one of which all is understood.
int scan_of(const Function& f, int directive) {
  int found = -1;
  for (int i = directive + 1; i < int(f.directives.size()); ++i)
    if (f.directives[size_t(i)].name == "scan" && f.directives[size_t(i)].parent == directive) {
      if (found >= 0) return -1;
      found = i;
    }
  return found;
}

int owner_of(const Function& f, const Use& use) {
  int i = around(f, use.at);
  while (i >= 0 && !makes_own(f.directives[size_t(i)], use.variable)) i = f.directives[size_t(i)].parent;
  return i;
}

bool is_exclusive(const Directive& scan) {
  return std::any_of(scan.clauses.begin(), scan.clauses.end(), [](const Clause& c) { return c.name == "exclusive"; });
}

std::string why_no_scan(const Unit& unit, const Function& f, int directive, uint32_t& at) {
  const Directive& d = f.directives[size_t(directive)];
  const int number = scan_of(f, directive);
  const Range body = d.loop.body;
  if (is_dealt(d)) return because(Why::scan_loop, {d.name});
  if (number < 0 || unit.text[body.begin] != '{' || unit.text[body.end - 1] != '}') return because(Why::scan, {d.name});
  const Directive& scan = f.directives[size_t(number)];
  at = scan.pragma.begin;
  if (!scan.in_list || scan.list.begin != body.begin || scan.pragma.empty()) return because(Why::scan, {d.name});
  if (has_clause(d, Clause::linear)) return because(Why::scan_linear, {d.name});
  if (d.nowait) return because(Why::scan_nowait);
  for (const Clause& c : d.clauses)
    for (size_t n = 0; c.kind == Clause::inscan && n < c.variables.size(); ++n) {
      const Variable& v = f.variables[size_t(c.variables[n])];
      at = c.text.begin;
      if (is_of_elements(c, n, v) || v.type.local || v.type.varies || v.type.is_volatile || v.type.is_const)
        return because(Why::scan_array, {v.name});
      if (c.reduced[n].plain)
        if (const NotANumber not_so = why_not_a_number(c.op, v.type); not_so != NotANumber::it_is)
          return because(not_so == NotANumber::other ? Why::scan_number : Why::scan_limits, {v.name});
    }
  // The halves are apart: what one declares the other does not see, and what both assign is not the last one's.
  at = scan.pragma.begin;
  const Range before{body.begin, scan.pragma.begin}, behind{scan.pragma.end, body.end};
  for (const Use& u : f.uses)
    if (behind.has(u.at) && before.has(f.variables[size_t(u.variable)].at) &&
        !f.variables[size_t(u.variable)].file_scope)
      return because(Why::scan_declares_variable, {f.variables[size_t(u.variable)].name});
  for (size_t t = 0; t < f.types.size(); ++t)
    if (before.has(f.type_scopes[t].begin) && f.type_scopes[t].end == body.end)
      return because(Why::scan_declares_type, {f.types[t]});
  for (const Clause& c : d.clauses)
    for (const int v : c.variables) {
      if (c.kind != Clause::lastprivate && c.kind != Clause::conditional) continue;
      const auto assigned = [&](Range half) {
        return std::any_of(f.uses.begin(), f.uses.end(),
                           [&](const Use& u) { return u.variable == v && u.how >= Use::clause && half.has(u.at); });
      };
      if (assigned(before) && assigned(behind)) return because(Why::scan_last, {f.variables[size_t(v)].name});
    }
  return "";
}

std::string why_no_conditional(const Function& f, int directive, int variable, uint32_t& at, bool& by_text) {
  const Directive& d = f.directives[size_t(directive)];
  const Variable& v = f.variables[size_t(variable)];
  if (d.nowait) return because(Why::conditional_nowait, {v.name});
  if (v.type.local || v.type.varies || v.type.is_volatile || v.type.is_const || v.type.kind == Type::array)
    return because(Why::conditional_type, {v.name});
  if (variable == d.loop.variable || std::find(d.counters.begin(), d.counters.end(), variable) != d.counters.end())
    return because(Why::conditional_counter, {v.name});
  if (d.loop.variable >= 0 && is_dealt(d)) {
    if (!d.loop.plain || d.inner.size() + 1 != size_t(loops_together(d)) || !is_rectangular(f, d) ||
        std::any_of(d.inner.begin(), d.inner.end(), [](const Loop& l) { return !l.plain; }))
      return because(Why::conditional_loops, {v.name, d.name});
    if (loops_together(d) > 1)
      if (const std::string why = why_no_last(f, d); !why.empty()) return why;
  }
  for (const Use& u : f.uses) {
    if (u.variable != variable || !d.statement.has(u.at) || u.how < Use::clause) continue;
    at = u.at;
    if (owner_of(f, u) != directive) continue;  // a copy
    if (u.how != Use::write) return because(Why::conditional_address, {v.name});
    by_text = u.in_macro;
    if (u.in_macro) return because(Why::conditional_macro, {v.name});
    const Directive& inner = f.directives[size_t(around(f, u.at))];
    if (&inner != &d && inner.name != "section" && inner.name != "critical")
      return because(Why::conditional_inside, {v.name, inner.name});
  }
  return "";
}

}  // namespace

bool has_scan(const Directive& d) { return has_clause(d, Clause::inscan); }
bool has_conditional(const Directive& d) { return has_clause(d, Clause::conditional); }

std::string in_order(const std::string& schedule) {
  std::string kind = trimmed(schedule.substr(schedule.find('(') + 1));
  for (const char* modifier : {"monotonic", "nonmonotonic", "simd"})
    if (kind.compare(0, std::string(modifier).size(), modifier) == 0) {
      kind = kind.substr(kind.find(':') + 1);
      break;
    }
  return "schedule(monotonic: " + trimmed(kind);
}

std::vector<Table> tables(const Plan& plan) {
  std::vector<Table> found;
  const Function& f = *plan.function;
  for (size_t i = size_t(plan.region); i < plan.bound.size(); ++i)
    for (const Clause& c : f.directives[i].clauses)
      for (const int v : c.variables) {
        if (!plan.bound[i] || f.directives[i].kind == Directive::kept) continue;
        const Type& type = f.variables[size_t(v)].type;
        if (c.kind == Clause::inscan)
          found.push_back({table_name(plan, int(i), v), type.plain, type.kind > Type::complex});
        if (c.kind == Clause::conditional) found.push_back({table_name(plan, int(i), v), "uint64_t @"});
      }
  return found;
}

NotScanned why_not_scanned(const Unit& unit, const Function& f, int directive) {
  const Directive& d = f.directives[size_t(directive)];
  NotScanned it;
  it.at = d.pragma.begin;
  if (has_scan(d)) it.why = why_no_scan(unit, f, directive, it.at);
  for (const Clause& c : d.clauses)
    for (const int v : c.variables) {
      if (c.kind != Clause::conditional || !it.why.empty()) continue;
      it.at = c.text.begin;
      it.why = why_no_conditional(f, directive, v, it.at, it.by_macro);
    }
  return it;
}

std::vector<Scan::Item> Scan::items() const {
  std::vector<Item> found;
  for (const Clause& c : loop().clauses)
    for (size_t n = 0; c.kind == Clause::inscan && n < c.variables.size(); ++n)
      found.push_back({&c, n, c.variables[n]});
  return found;
}

std::string Scan::joined(const Item& it, const std::string& to, const std::string& from) const {
  return "{ " + declare(type(it), "ek_one") + " = " + from + "; " + merge(unit_, *it.clause, it.number, to, "ek_one") +
         " } ";
}

std::string Scan::table(const Item& it) const {
  return names_.frame + "->" + table_name(plan_, directive_, it.variable);
}

std::string Scan::begin(const Outside& outside) const {
  std::string out;
  for (const Item& it : items()) {
    const Variable& v = function().variables[size_t(it.variable)];
    out += part_of(unit_, edits_, *it.clause, it.number, v, outside(it.variable)).begin +
           declare(type(it), "ek_before_" + name(it)) + " = *ek_whole_" + name(it) + "; ";
  }
  return out;
}

std::string Scan::rounds(const std::string& line) const {
  const std::string mine = "[" + names_.me + "->" + names_.its_id + "]";
  std::string out, told, before;
  for (const Item& it : items()) {
    const std::string runs = "ek_runs_" + name(it);
    out += declare(type(it), "*const " + runs) + " = __builtin_malloc((size_t)(" + names_.to + " - " + names_.from +
           " + 1) * sizeof *" + runs + "); if (!" + runs + ") __builtin_trap(); ";
    told += table(it) + mine + " = " + name(it) + "; ";
    before += joined(it, "ek_before_" + name(it), table(it) + "[ek_i]");
  }
  return out + "for (int ek_round = 0; ek_round < 2; ek_round++) { if (ek_round) { " + told + "\n#pragma omp barrier" +
         line + "for (uint32_t ek_i = 0; ek_i < " + names_.me + "->" + names_.its_id + "; ek_i++) { " + before +
         "} } int64_t ek_at = " + names_.from + "; ";
}

std::string Scan::end() const {
  const std::string& me = names_.me;
  std::string out = "} if (" + me + "->" + names_.its_id + " == " + me + "->" + names_.its_n + " - 1) { ", freed;
  for (const Item& it : items()) {
    out += name(it) + " = ek_before_" + name(it) + "; " +
           joined(it, name(it), table(it) + "[" + me + "->" + names_.its_id + "]") + "*ek_whole_" + name(it) + " = " +
           name(it) + "; ";
    freed += "__builtin_free(ek_runs_" + name(it) + "); ";
  }
  return out + "} " + freed;
}

void Scan::halves() {
  const Directive& scan = function().directives[size_t(scan_of(function(), directive_))];
  const Range body = loop().loop.body;
  const std::string at = "[ek_at - " + names_.from + "]";
  std::string keep, get;
  for (const Item& it : items()) {
    const std::string run = "ek_runs_" + name(it) + at;
    keep += run + " = " + name(it) + "; ";
    get += name(it) + " = ek_before_" + name(it) + "; " + joined(it, name(it), run);
  }
  const bool exclusive = is_exclusive(scan);
  edits_.insert(body.begin + 1, exclusive ? " if (ek_round) { " + get : " if (!ek_round) {");
  edits_.replace(scan.pragma, exclusive ? "} else { " + keep : keep + "} else { " + get);
  edits_.insert(body.end - 1, "} ");
}

std::vector<int> Conditional::variables() const {
  std::vector<int> found;
  for (const Clause& c : directive().clauses)
    if (c.kind == Clause::conditional) found.insert(found.end(), c.variables.begin(), c.variables.end());
  return found;
}

std::vector<const Loop*> Conditional::loops() const {
  return is_dealt(directive()) && directive().loop.variable >= 0 ? all_loops(directive()) : std::vector<const Loop*>();
}

std::string Conditional::table(int v) const { return names_.frame + "->" + table_name(plan_, directive_, v); }

std::string Conditional::begin() const {
  const std::vector<const Loop*> all = loops();
  std::string out = counters_.numbering(all);
  // Of a loop that is cut in parts in the order of the instances: by these.
  if (all.empty() && directive().loop.variable >= 0)
    out += "const uint64_t ek_number = (uint64_t)" + names_.me + "->" + names_.its_id + " + 1; ";
  for (const int v : variables()) out += "uint64_t " + set(v) + " = 0; ";
  return out;
}

std::string Conditional::iteration() const {
  const std::vector<const Loop*> all = loops();
  return all.empty() ? "" : "const uint64_t ek_number = " + counters_.number(all) + " + 1; ";
}

void Conditional::assignments() {
  const Function& f = function();
  for (const int v : variables())
    for (const Use& u : f.uses) {
      if (u.variable != v || u.how != Use::write || !directive().statement.has(u.at) || owner_of(f, u) != directive_)
        continue;
      std::string number = "ek_number";
      if (directive().loop.variable < 0) {
        const auto before = std::count_if(f.directives.begin(), f.directives.end(), [&](const Directive& s) {
          return s.name == "section" && s.parent == directive_ && s.pragma.begin < u.at;
        });
        number = std::to_string(before + 1);
      }
      const std::string& name = f.variables[size_t(v)].name;
      edits_.replace({u.at, u.at + uint32_t(name.size())}, "(*(" + set(v) + " = " + number + ", &" + name + "))");
    }
}

std::string Conditional::end(const Outside& outside, const std::string& line) const {
  std::string told, last;
  for (const int v : variables()) {
    told += table(v) + "[" + names_.me + "->" + names_.its_id + "] = " + set(v) + "; ";
    last += "for (uint32_t ek_i = 0; " + set(v) + " && ek_i < " + names_.me + "->" + names_.its_n + "; ek_i++) if (" +
            table(v) + "[ek_i] > " + set(v) + ") " + set(v) + " = 0; if (" + set(v) + ") " + outside(v) + " = " +
            function().variables[size_t(v)].name + "; ";
  }
  return told + "\n#pragma omp barrier" + line + last;
}

}  // namespace einkorn::compiler
