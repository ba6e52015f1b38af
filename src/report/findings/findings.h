// What keeps a program from running faster, ranked by what it costs.
//
// A finding's gain is an upper bound on the wall time that would be saved, computed from what was measured: the
// the files of this folder give the derivation of each. Gains of several findings may cover the same time and must not
// be added up. Where times are not valid there are no seconds: findings that rest on counts and bytes are left, ranked
// by these.
#pragma once
#include <string>
#include <vector>
#include "profile/metrics.h"
#include "profile/types.h"
#include "record/format.h"

namespace einkorn::report {

enum class ProblemKind : uint8_t {
  tasks_too_fine,
  chunks_too_fine,
  too_coarse,
  one_creator,
  load_imbalance,
  little_parallelism,
  serial,
  lock,
  work_inflation,
  remote_data,
  loop_order,
  ordered,
  few_threads,
  many_barriers,
  short_regions,
  late_tasks,
  waiting,
  false_sharing,
  shared_variable,
};
inline constexpr const char* kProblemKindNames[] = {
    "tasks_too_fine",     "chunks_too_fine", "too_coarse",    "one_creator",    "load_imbalance",
    "little_parallelism", "serial",          "lock",          "work_inflation", "remote_data",
    "loop_order",         "ordered",         "few_threads",   "many_barriers",  "short_regions",
    "late_tasks",         "waiting",         "false_sharing", "shared_variable"};

// Which grains a finding is about.
struct GrainFilter {
  std::vector<uint32_t> sources;  // of these; empty: about no grains
  unsigned kinds = 0;             // profile::kOfTasks | ...
  uint32_t least_depth = 0;       // tasks: at this depth of the task tree or below
  bool remote = false;            // only those with data on other nodes
};

struct Finding {
  ProblemKind kind{};
  int64_t gain_ns = -1;               // -1: no seconds can be given
  double share = 0;                   // 0 to 1: how bad it is by count or bytes; ranks what has no seconds
  bool rough = false;                 // by times that may be off (times_off_by()): `share` is of the wall time
  uint64_t bytes = 0;                 // remote_data: on other nodes
  uint64_t grains = 0;                // that it is about, 0: it is not about grains
  uint32_t source = profile::kNone;   // the line to look at first, kNone: no single one
  std::vector<uint32_t> sources;      // all lines that it is about, that one first
  std::string what;                   // "tasks too fine (median 0.4 us, creation 0.3 us)"
  std::string advice;                 // a sentence or two: what to try
  std::vector<std::string> evidence;  // the numbers that it rests on
  GrainFilter about;
};

// The largest gain first. Nothing below 5 % of the wall time. `metrics` of the same profile, with options as
// metric_options() has them; a baseline in them makes inflation a problem, too.
std::vector<Finding> find_problems(const profile::Profile&, const profile::Metrics& metrics);
std::vector<Finding> find_problems(const profile::Profile&);

// What find_problems() needs of each grain, and the distances of the machine that the program ran as on.
profile::MetricOptions metric_options(const profile::Profile&);

// Of a loop that is recorded with its chunks: could another schedule balance it?
constexpr bool is_static(record::Schedule s) {
  return s == record::Schedule::static_ || s == record::Schedule::static_chunked;
}

// What `einkorn tune` tries about a problem, without touching the source (src/tune/propose.h); nullptr: nothing.
const char* tune_tries(const profile::Profile&, const Finding&);

// Indices of the grains that it is about.
std::vector<uint32_t> grains_of(const profile::Profile&, const Finding&);

// The one sentence that a report ends with.
std::string verdict(const profile::Profile&, const std::vector<Finding>&);

}  // namespace einkorn::report
