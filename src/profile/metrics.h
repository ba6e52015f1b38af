// Metrics of grains, constructs and the program, derived from what was measured: Muddukrishna 2016, 5.4.2; Olivier
// 2012, ch. 4; Schmidl 2016, 5.1.
//
// Only metrics_table() knows the name, meaning and unit of a metric, and when it indicates a problem: docs/metrics.md,
// the page's hover texts, the exports and the Python package are made from it.
//
// Everything is O(n log n) in the number of grains and graph nodes, and takes four bytes per grain for each metric that
// is wanted, and about as much again while it works. A value that is not known is NaN, never zero.
#pragma once
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>
#include "profile/types.h"

namespace einkorn::profile {

// In the table's order: of grains first, then of source lines, then of the program.
enum class Metric : uint8_t {
  // of each grain
  exec,
  creation,
  parallelization,
  parallel_benefit,
  work_deviation,
  memory_utilization,
  parallelism_optimistic,
  parallelism_conservative,
  scatter,
  remote_share,
  idle_caused,
  subtree_work,
  critical,
  loads,
  stores,
  memory_footprint,
  reuse,
  ipc,
  miss_rate,
  miss_footprint,
  page_faults,
  // of each source
  load_balance,
  longest_to_chain,
  // of the program
  work,
  span,
  burdened_span,
  parallelism,
  burdened_parallelism,
  threads,
  largest_hold,
  time_bound,
  speedup,
  speedup_bound,
  brent_speedup,
  burdened_speedup,
  inflation_speedup,
  split_work,
  split_inflation,
  split_overhead,
  split_idle,
  split_offcpu,
  cut_off,
  too_fine,
  too_coarse,
  creation_bottleneck,
  far_from_creator,
};
inline constexpr size_t kGrainMetrics = size_t(Metric::page_faults) + 1;
inline constexpr size_t kSourceMetrics = size_t(Metric::longest_to_chain) + 1 - kGrainMetrics;
inline constexpr size_t kMetrics = size_t(Metric::far_from_creator) + 1;
inline constexpr size_t kProgramMetrics = kMetrics - kGrainMetrics - kSourceMetrics;

enum class MetricLevel : uint8_t { grain, source, program };
enum class BadSide : uint8_t { none, below, above };  // on which side of the threshold the problems are
// The unit of a default threshold. a_node: the distance within a memory node, or its number of CPUs.
enum class ThresholdOf : uint8_t { itself, threads_used, a_node };
enum class ColourScale : uint8_t { linear, logarithmic };
inline constexpr const char* kMetricLevelNames[] = {"grain", "source", "program"};

inline constexpr unsigned kOfShares = 1u << unsigned(GrainKind::share), kOfChunks = 1u << unsigned(GrainKind::chunk),
                          kOfTasks = 1u << unsigned(GrainKind::task), kOfAll = kOfShares | kOfChunks | kOfTasks;

struct MetricInfo {
  Metric metric;
  const char* key;   // in files and addresses: "parallel_benefit"
  const char* name;  // for people: "parallel benefit"
  const char* unit;  // "ns", "bytes", "operations", "grains", "threads", "distance", "depth"; "": a ratio
  unsigned kinds;    // kinds of grains that can have it: kOfTasks | ...; 0: it is not a metric of grains
  BadSide bad;
  double threshold;  // default; NaN if bad is none
  ThresholdOf threshold_of;
  ColourScale scale;
  const char* definition;        // a sentence or two
  const char* threshold_reason;  // the reason for the threshold; "" if there is none
  const char* origin;            // work and section

  MetricLevel level() const {
    return size_t(metric) < kGrainMetrics                    ? MetricLevel::grain
           : size_t(metric) < kGrainMetrics + kSourceMetrics ? MetricLevel::source
                                                             : MetricLevel::program;
  }
  bool applies_to(GrainKind k) const { return kinds >> unsigned(k) & 1; }
};

std::span<const MetricInfo> metrics_table();  // by Metric
const MetricInfo& metric_info(Metric);

inline constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();

// A second recording of the program to compare this one with: usually on one thread.
struct Baseline {
  const std::vector<float>* exec =
      nullptr;           // ns, by grain of this recording: the same grain's execution there; NaN: not matched
  int64_t work_ns = -1;  // all its work, serial part included
};

struct MetricOptions {
  uint64_t grain_metrics = (1u << kGrainMetrics) - 1;  // the metrics of each grain that are wanted: bit 1 << Metric
  std::array<double, kMetrics> thresholds;             // instead of the defaults; NaN: the default
  Baseline baseline;
  int64_t interval_ns = 0;           // of instantaneous parallelism; 0: the median grain's length
  std::vector<float> node_distance;  // of the recording's nodes, [from * nodes + to], local = 10; empty: not known
  uint32_t cpus_of_a_node = 0;       // 0: as many as the recording shows

  MetricOptions() { thresholds.fill(kAbsent); }
  bool wants(Metric m) const { return grain_metrics >> unsigned(m) & 1; }
  void want(Metric m) { grain_metrics |= uint64_t(1) << unsigned(m); }
  void want_only(std::initializer_list<Metric> list) {
    grain_metrics = 0;
    for (Metric m : list) want(m);
  }
};

// The tasks left by a cut-off at this depth of the task tree: tasks of this depth run what is below them themselves.
struct CutOffPoint {
  uint64_t tasks = 0;          // number of tasks: those of this depth and above
  double exec = 0;             // ns per task: execution,
  double parallelization = 0;  //   creating and fetching it,
  double idle = 0;  //   and idle, at most: all other threads wait for the longest of the subtrees that run as one task
};

// Grains in execution, by interval.
struct ParallelismOverTime {
  int64_t begin = 0, interval = 0;  // ns; 0: there is nothing
  std::vector<uint32_t> optimistic, conservative;
};

struct Metrics {
  std::array<std::vector<float>, kGrainMetrics> of_grains;    // by grain; empty: absent of all
  std::array<std::vector<float>, kSourceMetrics> of_sources;  // by source
  std::array<double, kProgramMetrics> of_program;
  std::array<double, kMetrics> thresholds;  // thresholds in force: as asked for, otherwise the default
  std::vector<bool> estimated;       // by grain: its parallel benefit rests on its siblings' costs. Empty: none does
  std::vector<CutOffPoint> cut_off;  // by depth of the task tree; empty: no tasks
  ParallelismOverTime over_time;
  std::string distance;              // unit of scatter: "node distance" or "difference of CPU numbers"
  double remote_distance = kAbsent;  // mean distance between two different nodes, where distances are known
  int64_t region_wall = 0;           // ns of wall time inside outermost regions

  float of_grain(Metric m, uint32_t grain) const {
    const auto& v = of_grains[size_t(m)];
    return v.empty() ? float(kAbsent) : v[grain];
  }
  float of_source(Metric m, uint32_t source) const {
    const auto& v = of_sources[size_t(m) - kGrainMetrics];
    return source < v.size() ? v[source] : float(kAbsent);
  }
  double operator[](Metric m) const { return of_program[size_t(m) - kGrainMetrics - kSourceMetrics]; }
  double& operator[](Metric m) { return of_program[size_t(m) - kGrainMetrics - kSourceMetrics]; }
  // Absent values do not count as a problem.
  bool is_problem(Metric m, double value) const {
    const BadSide side = metric_info(m).bad;
    return side == BadSide::below ? value < thresholds[size_t(m)]
                                  : side == BadSide::above && value > thresholds[size_t(m)];
  }
};

Metrics compute_metrics(const Profile&, const MetricOptions& = {});

}  // namespace einkorn::profile
