// The parts of find_problems(): each adds what it finds.
#pragma once
#include <algorithm>
#include <map>
#include <vector>
#include "report/findings/findings.h"
#include "report/source_costs.h"

namespace einkorn::report {

// Below this part of the wall time a problem is not worth a line.
inline constexpr double kWorthTelling = 0.05;

// Evidence of a promise that would rest on what recording adds, were that known.
inline constexpr const char* kAsRecorded =
    "of the program as recorded: what recording adds was not measured on its machine";

// The numbers that all bounds are made of.
//
// Inside the regions the threads' time is partitioned into work, overhead, idle, blocked and the rest:
//     threads x wall = work + overhead + idle + blocked + ...                                              (1)
// and no schedule ends before the longest path of the grain graph, nor before all work is done:
//     wall >= max(work / threads, span)                                                                    (2)
// So when a cost x of the threads' time goes away, with its share of (1) the wall time falls by x / threads; where x is
// not spread evenly, the others idle meanwhile and the wall time may fall by as much as the thread loses that bears
// most of it, as long as there is idle time for that: (x + idle) / threads. Never does it fall below (2). What changes
// the graph (splitting grains) is held only by work / threads.
struct Bounds {
  int64_t wall = 0;    // inside outermost regions
  double threads = 1;  // in them, on average
  int64_t work = 0, idle = 0;
  int64_t span = 0;        // of the critical path's part inside regions; 0: no graph
  int64_t room = 0;        // wall - max(work / threads, span): what better scheduling without overhead could gain
  int64_t exclusive = 0;   // the longest that tasks of one mutexinoutset set take, one after the other
  int64_t open_room = 0;   // as room, if they excluded nobody
  int64_t split_room = 0;  // wall - work / threads: what another division of the work could

  Bounds(const profile::Profile&, const profile::Metrics&);
  // Of taking away `total` thread time, of which no thread bears more than `most`.
  int64_t gain(int64_t total, int64_t most) const {
    return std::max<int64_t>(0, std::min({most, int64_t(double(total + idle) / threads), room}));
  }
  int64_t spread(int64_t total) const { return int64_t(double(total) / threads); }
};

inline int64_t time_in(const profile::Profile& p, profile::State s) { return p.thread_time[size_t(s)]; }

struct Evidence {
  const profile::Profile& p;
  const profile::Metrics& m;
  const Bounds& b;
  const std::vector<SourceCost>& costs;

  // File and line of two sources are one.
  bool same_line(uint32_t one, uint32_t other) const;
};

// Inner regions of one line that members of one outer line's teams have met.
struct InnerRegions {
  int64_t wall = 0;
  uint64_t regions = 0, threads = 0;
  void add(const profile::Region& r) {
    if (r.end > r.begin) wall += r.end - r.begin;
    ++regions, threads += std::max(1u, r.team);
  }
};
// one_cause.cpp. True: the idle time of the outer regions is told as that of an inner one, which one member was in.
bool blame_inner(const Evidence&, const std::map<uint32_t, InnerRegions>&, int64_t idle, std::vector<Finding>&);
// Of out[from] and on, findings of one line's regions that have one cause become one.
void join_one_cause(const Evidence&, size_t from, std::vector<Finding>& out);

void find_too_fine(const Evidence&, std::vector<Finding>&);
void find_idle(const Evidence&, std::vector<Finding>&);  // imbalance, too coarse, one creator, little parallelism
void find_late_tasks(const Evidence&, std::vector<Finding>&);
void find_serial(const Evidence&, std::vector<Finding>&);
void find_few_threads(const Evidence&, std::vector<Finding>&);
void find_many_barriers(const Evidence&, std::vector<Finding>&);
void find_short_regions(const Evidence&, std::vector<Finding>&);
void find_exclusive(const Evidence& e, std::vector<Finding>& out);
void find_locks(const Evidence&, std::vector<Finding>&);
void find_ordered(const Evidence&, std::vector<Finding>&);
void find_inflation(const Evidence&, std::vector<Finding>&);
void find_remote_data(const Evidence&, std::vector<Finding>&);
void find_loop_order(const Evidence&, std::vector<Finding>&);
void find_shared_lines(const Evidence&, std::vector<Finding>&);
// After the others, without those that are not worth a line: where threads wait though none of them says why.
void find_waiting(const Evidence&, std::vector<Finding>&);
void find_by_count(const Evidence&,
                   std::vector<Finding>&);  // where times are not valid: one creator, few chunks, long chains

}  // namespace einkorn::report
