#include "compiler/form.h"

#include <algorithm>

#include "compiler/items.h"
#include "compiler/lengths.h"
#include "compiler/live.h"
#include "compiler/named.h"
#include "compiler/proofs.h"
#include "compiler/reach.h"
#include "compiler/reasons.h"
#include "compiler/reduce.h"
#include "compiler/scans.h"
#include "compiler/text.h"

namespace einkorn::compiler {

namespace {

// Works out one plan; the first reason against it stays.
class Forming {
 public:
  Forming(const Unit& unit, const Function& f, int region) : unit_(unit), f_(f), d_(f.directives[region]) {
    plan_.function = &f;
    plan_.region = region;
    plan_.line = d_.line;
    plan_.name = codelets_name(f, region);
  }

  Plan run() {
    plan_.by_text = f_.by_macro;
    if (!f_.why_not.empty()) return leave(d_.pragma.begin, f_.why_not);
    whole_ =
        d_.kind == Directive::function ? f_.whole : Range{d_.pragma.begin, std::max(d_.pragma.end, d_.statement.end)};
    plan_.bound.assign(f_.directives.size(), false);
    plan_.reach.assign(f_.variables.size(), Reach::plain);
    plan_.own.assign(f_.variables.size(), false);
    notes();
    text();
    clauses();
    directives();
    if (plan_.why_not.empty()) variables();
    if (plan_.why_not.empty()) names();
    if (plan_.why_not.empty()) sync_points();
    if (plan_.why_not.empty()) kept();
    plan_.free = plan_.why_pinned.empty();
    return std::move(plan_);
  }

 private:
  Plan leave(uint32_t at, const std::string& why) {
    if (plan_.why_not.empty()) {
      plan_.why_not = why;
      plan_.why_line = line_of(at);
    }
    return plan_;
  }
  void leave_text(uint32_t at, const std::string& why) {
    plan_.by_text = true;
    leave(at, why);
  }
  void pin(const std::string& why) {
    if (plan_.why_pinned.empty()) plan_.why_pinned = why;
  }
  uint32_t line_of(uint32_t at) const {
    if (at >= d_.pragma.begin) return line_at(unit_.text, d_.pragma.begin, d_.line, at);
    return d_.line - uint32_t(newlines(std::string_view(unit_.text).substr(at, d_.pragma.begin - at)));
  }

  // Is it in a loop of the region, or in what a goto may make one of? waiting: in one that may go on until another
  // thread has done something.
  bool is_repeated(uint32_t at, bool waiting) const {
    for (const Repeated& r : f_.loops)
      if (whole_.has(r) && r.has(at) && !(waiting && r.counts)) return true;
    return std::any_of(f_.labels.begin(), f_.labels.end(), [&](const Range& r) { return whole_.has(r); });
  }

  void notes() {
    for (const Note& n : f_.notes) {
      if (!whole_.has(n.at)) continue;
      if (n.kind == Note::never || (n.kind == Note::label && !d_.statement.has(n.range))) leave(n.at, n.why);
      // Whose number of teams is not asked for.
      if (d_.teams && n.kind == Note::calls) leave(n.at, because(Why::more_teams, {d_.name, n.why}));
      if (n.kind == Note::macro) leave_text(n.at, n.why);
      if (n.kind == Note::pins || n.kind == Note::calls || (n.kind == Note::looks && is_repeated(n.at, true)))
        pin(n.why);
    }
  }

  void text() {
    bool any = false;
    if (!is_balanced(unit_.text, whole_, &any)) leave_text(whole_.begin, because(Why::if_across));
    if (any) pin("it has an #if, whose other branch is not known");
    if (has_include(unit_.text, whole_)) leave(d_.pragma.begin, because(Why::include));
    for (const uint32_t at : unit_.counters)
      if (whole_.has(at)) leave(at, because(Why::counts));
    conditions_ = compilers_conditions(unit_.text, f_.whole);
    for (const Condition& c : conditions_)
      if (c.part.end > whole_.begin && c.part.begin < whole_.end)
        leave(c.part.begin, because(Why::asks_compiler, {c.asks_for}));
    if (!unit_.expanded) {
      const auto name = [&](const Range& r) { return unit_.text.substr(r.begin, r.end - r.begin); };
      for (const Range& change : unit_.macro_changes)
        if (change.begin >= whole_.begin && change.begin < f_.whole.end)
          leave_text(change.begin, because(Why::macro_changes, {name(change)}));
      if (const Range* change = change_behind(unit_, f_, whole_))
        leave_text(change->begin, because(Why::macro_changes_behind, {name(*change)}));
    }
    if (!is_blank(unit_.text, {d_.pragma.end, d_.statement.begin})) leave(d_.pragma.begin, because(Why::between));
  }

  void clauses() {
    for (const Clause& c : d_.clauses) {
      switch (c.kind) {
        case Clause::other: leave(c.text.begin, because(Why::clause, {c.name})); break;
        case Clause::default_:
          if (c.op == "private") leave(c.text.begin, because(Why::default_clause));
          break;
        case Clause::copyin:
          for (const int v : c.variables)
            if (f_.variables[v].type.local && !f_.variables[v].file_scope)
              leave(c.text.begin, because(Why::copyin_type, {f_.variables[v].name}));
          break;
        case Clause::if_:
        case Clause::num_threads:
          for (const Use& u : f_.uses)
            if (c.text.has(u.at) && u.how >= Use::clause) leave(u.at, because(Why::clause_changes, {c.name}));
          break;
        default: break;
      }
    }
  }

  // Which directives are the region's own; what none of them may have.
  void directives() {
    for (int i = plan_.region; i < int(f_.directives.size()); ++i) {
      const Directive& d = f_.directives[i];
      if (!whole_.has(d.pragma.begin)) break;
      int up = d.parent;
      bool in_task = false;
      for (; up >= 0 && up != plan_.region && !is_parallel(f_.directives[up]); up = f_.directives[up].parent)
        in_task |= f_.directives[up].task;
      if (i != plan_.region && up != plan_.region) continue;  // of a region inside
      if (is_elsewhere(plan_, d.pragma.begin)) continue;
      if (i != plan_.region && is_parallel(d)) {
        pin("it has a region of its own");
        continue;
      }
      if (in_task && d.kind != Directive::kept) {
        leave(d.pragma.begin, because(Why::in_task, {d.name}));
        continue;
      }
      plan_.bound[i] = true;
      bound(d);
    }
  }

  void bound(const Directive& d) {
    for (const Clause& c : d.clauses)
      for (const int v : c.variables)
        if (c.kind != Clause::shared && f_.variables[v].type.over_aligned)
          leave(c.text.begin, because(Why::aligned_in, {f_.variables[v].name, c.name}));
    if (d.kind == Directive::parallel_sections || d.kind == Directive::sections) {
      if (!of_last(d).empty() && !has_sections(f_, d)) leave(d.pragma.begin, because(Why::no_section, {d.name}));
      if (d.nowait) runs_ahead(d);
    }
    if (d.task || d.kind == Directive::invoke) {
      pin("it makes tasks");
      if (const std::string why = why_not_shared(f_, plan_.region, d); !why.empty()) leave(d.pragma.begin, why);
    }
    if (d.kind == Directive::kept && d.name == "critical" && is_repeated(d.pragma.begin, true))
      pin("a critical section is in a loop, where threads may wait for each other");
    if (d.kind == Directive::parallel_for || d.kind == Directive::for_) loop(d);
    if (d.kind == Directive::kept) return;
    hands_on(d);
    for (const Clause& c : d.clauses) {
      if (&d != &d_ && c.kind == Clause::other) leave(c.text.begin, because(Why::clause_of, {c.name, d.name}));
      if (c.kind == Clause::reduction)
        for (size_t n = 0; n < c.variables.size(); ++n) {
          const std::string why = why_not_reduced(d, &d == &d_, c, n, f_.variables[c.variables[n]]);
          if (!why.empty()) leave(c.text.begin, why);
        }
      if (c.kind == Clause::ordered) pin("it has an ordered loop");
      if (c.kind == Clause::lastprivate || c.kind == Clause::firstprivate || c.kind == Clause::linear)
        for (const int v : c.variables) {
          const Type& t = f_.variables[v].type;
          const bool can_be_had = !t.varies || (has_lengths(t) && c.kind == Clause::firstprivate);
          if (t.local || !can_be_had) leave(c.text.begin, because(Why::clause_type, {c.name, f_.variables[v].name}));
          if (t.is_const && c.kind != Clause::firstprivate)
            leave(c.text.begin, because(Why::clause_const, {c.name, f_.variables[v].name}));
          if (begins_with_value(d, v)) pin("'" + f_.variables[v].name + "' is firstprivate and lastprivate");
        }
    }
  }

  void hands_on(const Directive& d) {
    if (!has_scan(d) && !has_conditional(d)) return;
    const NotScanned not_so = why_not_scanned(unit_, f_, int(&d - f_.directives.data()));
    plan_.by_text |= not_so.by_macro;
    if (!not_so.why.empty()) leave(not_so.at, not_so.why);
    pin("what a scan or lastprivate(conditional) is depends on all instances");
  }

  // An instance may be several such constructs ahead of another: as many as the runtime keeps (Team::kShares), with
  // room for others.
  void runs_ahead(const Directive& d) {
    constexpr int kMost = 8;
    if (++ahead_ > kMost || is_repeated(d.pragma.begin, false))
      pin("'" + d.name + "' has nowait, and comes again and again");
  }

  void loop(const Directive& d) {
    if (!is_dealt(d)) return;
    if (d.loop.variable < 0) leave(d.pragma.begin, because(Why::loop, {d.name}));
    if (loops_together(d) > 1 && !of_last(d).empty())
      if (const std::string why = why_no_last(f_, d); !why.empty()) leave(d.pragma.begin, why);
    if (!of_last(d).empty() && !d.loop.plain) leave(d.pragma.begin, because(Why::loop, {d.name}));
    if (d.nowait) runs_ahead(d);
  }

  // Reach of each variable from outside.
  void variables() {
    if (d_.kind == Directive::function) {
      plan_.captured = f_.parameters;
      for (const int v : plan_.captured) plan_.reach[v] = reach(v);
      return;
    }
    for (const Use& u : f_.uses) {
      if (!is_inside(d_, u.at) || has_variable(plan_.captured, u.variable)) continue;
      if (!d_.statement.has(f_.variables[u.variable].at) &&
          (!f_.variables[u.variable].file_scope || makes_own(d_, u.variable) || has_outer(plan_, whole_, u.variable)))
        if (owner(f_, plan_.region, u) < 0 || needs_outer(plan_, whole_, u.variable))
          plan_.captured.push_back(u.variable);
    }
    const auto add = [&](const std::vector<int>& more) {
      for (const int v : more)
        if (!has_variable(plan_.captured, v)) plan_.captured.push_back(v);
    };
    for (const Clause& c : d_.clauses)
      if (c.kind == Clause::firstprivate || c.kind == Clause::reduction) add(c.variables);
    add(gives_back(d_));
    // Of what is of variable length a copy needs the lengths.
    for (size_t i = size_t(plan_.region); i < f_.directives.size(); ++i)
      for (const Clause& c : f_.directives[i].clauses)
        for (const int v : c.variables)
          if (plan_.bound[i] && f_.variables[v].type.varies && makes_own(f_.directives[i], v) &&
              !d_.statement.has(f_.variables[v].at))
            add({v});
    for (const int v : plan_.captured) plan_.reach[v] = reach(v);
    // The compiler behind is not the one that reads here: what it takes of an #if may be something else.
    for (const Condition& c : conditions_)
      for (const int v : plan_.captured)
        if (!f_.variables[v].file_scope && c.part.has(f_.variables[v].at))
          leave(d_.pragma.begin, because(Why::declared_in_if, {f_.variables[v].name, c.asks_for}));
  }

  Reach reach(int variable) {
    const Variable& v = f_.variables[variable];
    if (v.type.varies && elements_are_all(plan_, whole_, variable)) return Reach::elements;
    if (v.type.varies && (!has_lengths(v.type) || is_procedure(plan_)))
      return leave(d_.pragma.begin, because(Why::type_varies, {v.name})), Reach::plain;
    if (v.type.local) return leave(d_.pragma.begin, because(Why::type_local, {v.name})), Reach::plain;
    if (d_.kind == Directive::function) return of_parameter(variable);
    if (d_.kind == Directive::invoke) return of_task(variable);
    if (d_.loop.variable == variable && d_.kind == Directive::parallel_for) return own_copy(v);
    if (has_variable(d_.counters, variable) || has_variable(gives_back(d_), variable)) return own_copy(v);
    for (const Clause& c : d_.clauses)
      if (has_variable(c.variables, variable)) {
        if (c.kind == Clause::private_) return own_copy(v);
        if (c.kind == Clause::firstprivate || c.kind == Clause::reduction) {
          own_copy(v);
          return c.kind == Clause::reduction ? Reach::reduced : Reach::first;
        }
      }
    return shared(variable);
  }

  Reach of_task(int variable) {
    for (const Clause& c : d_.clauses)
      if (c.kind == Clause::private_ && has_variable(c.variables, variable)) return own_copy(f_.variables[variable]);
    if (makes_own(d_, variable)) return of_parameter(variable);
    // Whoever makes the task may write it meanwhile.
    const Reach of_region = shared(variable);
    return of_region == Reach::value ? Reach::pointer : of_region;
  }

  Reach of_parameter(int variable) {
    const Variable& v = f_.variables[variable];
    own_copy(v);
    if (v.type.kind > Type::complex || v.type.is_volatile || is_needed_by_tasks(plan_, variable) || v.address_taken)
      return Reach::frame;
    for (const Use& u : f_.uses)
      if (u.variable == variable && u.how >= Use::write && is_inside(d_, u.at)) return Reach::first;
    return Reach::value;
  }

  Reach own_copy(const Variable& v) {
    if (v.type.over_aligned) leave(d_.pragma.begin, because(Why::aligned_private, {v.name}));
    return Reach::copy;
  }

  Reach shared(int variable) {
    const Variable& v = f_.variables[variable];
    bool written = v.address_taken || v.is_static || v.type.is_volatile, only_elements = v.type.kind == Type::array;
    for (const Use& u : f_.uses) {
      if (u.variable != variable) continue;
      // Tasks made before may still write it, and a region is not the only one of its kind that runs.
      if (!is_inside(d_, u.at)) {
        if (u.how >= Use::write)
          for (const Directive& d : f_.directives)
            if (d.task && d.statement.has(u.at)) written = true;
        continue;
      }
      written |= u.how >= Use::write;
      only_elements &= names_elements(u);
    }
    for (size_t i = size_t(plan_.region) + 1; i < f_.directives.size() && whole_.has(f_.directives[i].pragma.begin);
         ++i) {
      written |= has_variable(gives_back(f_.directives[i]), variable);
      for (const Clause& c : f_.directives[i].clauses)
        if (has_variable(c.variables, variable)) {
          written |= c.kind != Clause::shared && c.kind != Clause::private_ && c.kind != Clause::firstprivate;
          only_elements &= c.kind == Clause::shared || c.kind == Clause::private_;
        }
    }
    const bool by_value = v.type.kind <= Type::complex && !written;
    if (v.is_register && !by_value) return leave(d_.pragma.begin, because(Why::is_register, {v.name})), Reach::plain;
    if (v.type.kind == Type::array) return only_elements && !v.type.varies ? Reach::elements : Reach::pointer;
    return by_value ? Reach::value : Reach::pointer;
  }

  void names() {
    if (const std::optional<NotNamed> why = find_names(unit_, plan_)) {
      plan_.by_text |= why->by_macro;
      leave(why->at, why->why);
    }
  }

  bool ends_region(const Directive& d) const {
    if (is_procedure(plan_)) return false;
    if (d.parent != plan_.region || !d.in_list) return false;
    // Of a loop that is the region's statement each round ends here.
    uint32_t end = d_.statement.end;
    // What others may reach by its address they may until this barrier ends: an instance's memory goes when it ends.
    for (int v = 0; v < int(f_.variables.size()); ++v) {
      if (!is_object(plan_, v)) continue;
      const Object o = object_of(plan_, v);
      if (o.lifetime.has(d.pragma.begin) && !address_stays(o)) return false;
    }
    return end > 0 && unit_.text[d_.statement.begin] == '{' && unit_.text[end - 1] == '}' &&
           is_blank(unit_.text, {std::max(d.statement.end, d.pragma.end), end - 1});
  }

  // Does a barrier follow? Two sync points with nothing between are one.
  bool is_followed_by_barrier(size_t i) const {
    const Directive& d = f_.directives[i];
    for (size_t next = i + 1; next < f_.directives.size(); ++next) {
      const Directive& b = f_.directives[next];
      if (b.pragma.begin < d.statement.end) continue;
      return plan_.bound[next] && b.kind == Directive::barrier && d.in_list &&
             is_blank(unit_.text, {d.statement.end, b.pragma.begin});
    }
    return false;
  }

  void sync_points() {
    for (size_t i = size_t(plan_.region) + 1; i < f_.directives.size(); ++i) {
      const Directive& d = f_.directives[i];
      if (!plan_.bound[i]) continue;
      const bool implied = is_workshare(d) && !d.nowait;
      if (d.kind != Directive::barrier && d.kind != Directive::taskwait && !implied) continue;
      if (ends_region(d)) continue;  // the region's own end is one
      if (implied && is_followed_by_barrier(i)) continue;
      const uint32_t at = implied ? d.statement.end : d.pragma.end;
      plan_.syncs.push_back({at, int(i), line_of(at), {}, -1, d.pragma.begin});
    }
    for (size_t i = 0; i < f_.calls.size(); ++i) {
      const Call& c = f_.calls[i];
      // What a declaration declares is there when the call gives its value.
      const uint32_t inside = c.form == Call::declares ? c.whole.end - 1 : c.whole.begin;
      if (c.is_called && d_.statement.has(c.at) && !is_elsewhere(plan_, c.at))
        plan_.syncs.push_back({c.whole.end, -1, line_of(c.at), {}, int(i), inside});
    }
    for (const Sync& s : plan_.syncs) {
      for (const int v : plan_.captured)
        if (f_.variables[v].type.varies && f_.variables[v].type.kind == Type::array &&
            (plan_.reach[v] == Reach::copy || plan_.reach[v] == Reach::first))
          leave(s.at, because(Why::sync_array, {f_.variables[v].name}));
      for (const Clause& c : d_.clauses) {
        if (c.kind == Clause::reduction && c.number) leave(s.at, because(Why::sync_task_reduction));
        for (const Reduced& how : c.reduced)
          if (!how.plain) leave(s.at, because(Why::sync_reduction));
      }
      for (const Note& n : f_.notes)
        if (n.kind == Note::no_sync && whole_.has(n.at) && n.range.has(s.inside)) leave(s.at, n.why);
    }
    std::stable_sort(plan_.syncs.begin(), plan_.syncs.end(), [](const Sync& a, const Sync& b) { return a.at < b.at; });
    const std::string why = find_live(unit_, plan_);
    if (!why.empty()) leave(d_.pragma.begin, why);
    for (size_t v = 0; v < f_.variables.size(); ++v)
      if (plan_.own[v])
        for (const Use& u : f_.uses)
          if (u.variable == int(v) && u.in_macro && d_.statement.has(u.at) && owner(f_, plan_.region, u) < 0)
            leave_text(u.at, because(Why::macro_names_lasting, {f_.variables[v].name}));
    if (const std::optional<NotNamed> why = find_spelled(plan_)) leave_text(why->at, why->why);
  }

  // Directives that stay, with clauses that name what is not a plain variable any more.
  void kept() {
    for (size_t i = size_t(plan_.region) + 1; i < f_.directives.size(); ++i) {
      const Directive& d = f_.directives[i];
      if (!whole_.has(d.pragma.begin)) break;
      if ((plan_.bound[i] && d.kind != Directive::kept) || is_elsewhere(plan_, d.pragma.begin)) continue;
      for (const Clause& c : d.clauses) {
        if (c.kind == Clause::default_ && c.op != "none" && d.task)
          leave(c.text.begin, because(Why::task_default, {c.op}));
        if (is_advice(c) || c.kind == Clause::copyprivate) continue;
        for (const Use& u : f_.uses)  // gcc 12 takes no section of what is in parentheses
          if (c.text.has(u.at) && c.kind == Clause::other && !is_item_by_pointer(unit_, plan_, u) &&
              (plan_.own[u.variable] || plan_.reach[u.variable] == Reach::pointer)) {
            const size_t next = unit_.text.find_first_not_of(" \t", u.at + f_.variables[u.variable].name.size());
            if (next != std::string::npos && unit_.text[next] == '[')
              leave(u.at, because(Why::clause_names_section, {c.name, d.name, f_.variables[u.variable].name}));
          }
        for (const int& v : c.variables) {
          if (is_plain(v) || is_given_back(f_, d, c, size_t(&v - c.variables.data()))) continue;
          if (is_item_in_place(d, c)) continue;
          // The taskgroup's copy, under the same name.
          if (c.kind == Clause::in_reduction && has_group_with(f_, plan_.region, d, v)) continue;
          if (c.kind != Clause::shared && c.kind != Clause::private_ && c.kind != Clause::firstprivate)
            leave(c.text.begin, because(Why::clause_names, {c.name, d.name, f_.variables[v].name}));
        }
      }
      if (d.kind == Directive::kept && d.name != "simd" && d.name.find("simd") != std::string::npos)
        for (const int v : d.counters)
          if (plan_.own[v] || plan_.reach[v] == Reach::pointer)
            leave(d.pragma.begin, because(Why::simd_counts, {d.name, f_.variables[v].name}));
      if (!d.in_list && !is_all_of_single(d) && begins_what_is_changed(d) && needs_block(d))
        leave(d.pragma.begin, because(Why::own_in_loop, {d.name}));
    }
  }
  bool is_plain(int v) const { return compiler::is_plain(plan_, v); }
  // Text is put where the directive stands: before what is declared around it would be.
  bool begins_what_is_changed(const Directive& d) const {
    const uint32_t at = d.pragma.begin;
    return std::any_of(f_.directives.begin(), f_.directives.end(), [&](const Directive& around) {
      if (around.statement.begin == at || around.loop.body.begin == at) return true;
      return std::any_of(around.inner.begin(), around.inner.end(), [&](const Loop& l) { return l.body.begin == at; });
    });
  }
  // The statement of a directive that becomes an if, or of the region.
  bool is_all_of_single(const Directive& d) const {
    if (d.parent == plan_.region) return d_.kind == Directive::parallel && d_.statement.begin == d.pragma.begin;
    if (d.parent < 0) return false;
    const Directive& around = f_.directives[d.parent];
    return plan_.bound[d.parent] && around.statement.begin == d.pragma.begin &&
           (around.kind == Directive::single || around.kind == Directive::master || around.kind == Directive::masked);
  }
  bool needs_block(const Directive& d) const {
    if (d.primary || !items_by_pointer(unit_, plan_, d).empty()) return true;
    const auto own = [&](const std::vector<int>& list) {
      return std::any_of(list.begin(), list.end(), [&](int v) { return !is_plain(v); });
    };
    for (const Clause& c : d.clauses)
      if ((c.kind == Clause::private_ || c.kind == Clause::firstprivate || c.kind == Clause::lastprivate ||
           c.kind == Clause::reduction || c.kind == Clause::copyprivate || is_item_in_place(d, c)) &&
          own(c.variables))
        return true;
    for (const Use& u : f_.uses)
      for (const Clause& c : d.clauses)
        if (c.text.has(u.at) && !is_plain(u.variable) && c.name == "detach") return true;
    return own(d.counters) || std::any_of(d.firstprivate.begin(), d.firstprivate.end(),
                                          [&](int v) { return needs_copy_for_task(plan_, v); });
  }

  const Unit& unit_;
  const Function& f_;
  const Directive& d_;
  Range whole_;
  int ahead_ = 0;  // dealt constructs with nowait
  std::vector<Condition> conditions_;
  Plan plan_;
};

}  // namespace

std::vector<Plan> form(const Unit& unit) {
  std::vector<Plan> plans;
  for (const Function& f : unit.functions)
    for (size_t i = 0; i < f.directives.size(); ++i) {
      const Directive& d = f.directives[i];
      if (is_parallel(d) && d.parent < 0) plans.push_back(Forming(unit, f, int(i)).run());
    }
  return plans;
}

Plan form_procedure(const Unit& unit, const Function& f, int region) { return Forming(unit, f, region).run(); }

}  // namespace einkorn::compiler
