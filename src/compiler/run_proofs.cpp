#include "compiler/run_proofs.h"

#include <algorithm>

#include "compiler/broken.h"
#include "compiler/reasons.h"

namespace einkorn::compiler {

namespace {

bool is_nothing(const TaskRun::Against& a) { return a.what.empty(); }

}  // namespace

bool makes_tasks_alone(const TaskRun& r) { return EINKORN_PROOF("makes_tasks_alone", is_nothing(r.beside)); }
bool is_steered_by_values(const TaskRun& r) { return EINKORN_PROOF("is_steered_by_values", is_nothing(r.steering)); }
bool ends_with_its_counters(const TaskRun& r) { return EINKORN_PROOF("ends_with_its_counters", is_nothing(r.counter)); }
bool repeats_its_clauses(const TaskRun& r) { return EINKORN_PROOF("repeats_its_clauses", is_nothing(r.clause)); }
bool has_single_tasks(const TaskRun& r) { return is_nothing(r.inside); }
bool has_plain_data(const TaskRun& r) { return is_nothing(r.data); }
bool is_waited_for(const TaskRun& r) { return EINKORN_PROOF("is_waited_for", is_nothing(r.goes_on)); }

std::vector<RunValue> compared(const TaskRun& r) {
  std::vector<RunValue> all;
  for (const RunValue& v : r.values) {
    // What a wrong copy takes for the same each time.
    const bool steers = v.kind == RunValue::steers && EINKORN_PROOF("compares_what_steers", false);
    const bool saved = v.kind == RunValue::saved && EINKORN_PROOF("compares_what_is_saved", false);
    const bool shared = v.kind == RunValue::shared && EINKORN_PROOF("compares_what_is_shared", false);
    const auto is_same = [&](const RunValue& other) { return other.expression == v.expression; };
    if (!steers && !saved && !shared && std::none_of(all.begin(), all.end(), is_same)) all.push_back(v);
  }
  return all;
}

std::string why_no_run(const TaskRun& r) {
  const auto because_of = [](Why why, const TaskRun::Against& a) {
    return because(why, {a.what}) + " (line " + std::to_string(a.line) + ")";
  };
  if (!makes_tasks_alone(r)) return because_of(Why::run_beside, r.beside);
  if (!repeats_its_clauses(r)) return because_of(Why::run_clause, r.clause);
  if (!has_single_tasks(r)) return because_of(Why::run_inside, r.inside);
  if (!is_steered_by_values(r)) return because_of(Why::run_steering, r.steering);
  if (!ends_with_its_counters(r)) return because_of(Why::run_counter, r.counter);
  if (!has_plain_data(r)) return because_of(Why::run_data, r.data);
  if (!is_waited_for(r)) return because_of(Why::run_goes_on, r.goes_on);
  return "";
}

}  // namespace einkorn::compiler
