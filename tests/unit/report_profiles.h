// Small profiles for the tests of the reports, put together by hand.
#pragma once
#include "profile/types.h"

namespace einkorn::report_test {

using namespace einkorn::profile;

inline constexpr int64_t us = 1000, ms = 1000 * us;

class Builder {
 public:
  Profile p;

  Builder(int64_t wall, uint32_t threads) {
    p.program = "./sort";
    p.argv = {"./sort", "1000"};
    p.cpus = threads;
    p.wall_ns = wall;
    p.totals.complete = true;
    p.threads.resize(threads);
    p.threads[0].initial = true;
    grain(GrainKind::initial, kNone, kNone, 0);
  }
  uint32_t source(const char* file, uint32_t line, const char* construct, const char* function) {
    Source s;
    s.file = file;
    s.line = line;
    s.construct = construct;
    s.function = function;
    p.sources.push_back(s);
    return uint32_t(p.sources.size() - 1);
  }
  void region(uint32_t source, int64_t begin, int64_t end, uint32_t team) {
    Region r;
    r.parent_grain = 0;
    r.source = source;
    r.begin = begin;
    r.end = end;
    r.team = team;
    r.level = 1;
    p.regions.push_back(r);
    ++p.totals.regions;
  }
  uint32_t grain(GrainKind kind, uint32_t parent, uint32_t source, int64_t exec, int64_t create_cost = -1,
                 uint32_t creator = 0) {
    Grain g;
    g.kind = kind;
    g.parent = parent;
    g.source = source;
    g.exec = exec;
    g.create_cost = create_cost;
    g.thread = g.creator = creator;
    if (parent != kNone && !p.regions.empty()) g.region = uint32_t(p.regions.size() - 1);
    g.fragments = 1;
    if (parent != kNone) g.depth = p.grains[parent].depth + (p.grains[parent].kind == GrainKind::task);
    p.totals.tasks += kind == GrainKind::task;
    p.totals.chunks += kind == GrainKind::chunk;
    p.totals.shares += kind == GrainKind::share;
    p.grains.push_back(g);
    return uint32_t(p.grains.size() - 1);
  }
  void spent(uint32_t thread, State s, int64_t t) {
    p.threads[thread].times[size_t(s)] += t;
    p.threads[thread].in_team += t;
    p.thread_time[size_t(s)] += t;
  }
  void waited(uint32_t source, uint64_t waits, uint64_t tasks, int64_t overhead, int64_t idle) {
    p.waits.push_back({source, waits, tasks, overhead, idle});
    for (size_t i = p.grains.size(); i-- > 0;)
      if (p.grains[i].kind == GrainKind::implicit) {
        p.grains[i].wait_overhead += overhead;
        p.grains[i].wait_idle += idle;
        break;
      }
  }
  // A node of the critical path.
  void on_path(NodeKind kind, uint32_t grain, int64_t weight, uint32_t source = kNone) {
    p.graph.nodes.push_back({kind, true, grain, source, 0, 0, weight});
    if (kind == NodeKind::fragment || kind == NodeKind::chunk) p.critical_path_ns += weight;
    p.burdened_path_ns = p.critical_path_ns;
  }
};

// 2.05 ms on two threads: 0.25 ms serial, then a region of 1.8 ms in which two shares of 0.6 ms create 1,500 tasks
// each, of 0.4 us, each creation 0.2 us; taking the tasks costs 0.3 ms more, and thread 1 idles for 0.3 ms at the
// taskwait. Work 2.4, overhead 0.9, idle 0.3 ms of 2 x 1.8 ms.
inline Profile fine_sort() {
  Builder b(2050 * us, 2);
  const uint32_t task = b.source("/home/ada/sort/src/sort.c", 142, "task", "merge_sort");
  const uint32_t region = b.source("/home/ada/sort/src/sort.c", 160, "parallel", "main");
  const uint32_t wait = b.source("/home/ada/sort/src/sort.c", 150, "taskwait", "merge_sort");
  b.region(region, 250 * us, 2050 * us, 2);
  b.p.grains[0].exec = 250 * us;
  for (uint32_t t = 0; t < 2; ++t) {
    const uint32_t implicit = b.grain(GrainKind::implicit, 0, region, 0);
    const uint32_t share = b.grain(GrainKind::share, implicit, region, 600 * us);
    if (t == 0) {
      b.on_path(NodeKind::fragment, 0, 250 * us);
      b.on_path(NodeKind::fork, 0, 0, region);
      b.on_path(NodeKind::fragment, share, 600 * us);
    }
    for (int i = 0; i < 1500; ++i) b.grain(GrainKind::task, implicit, task, 400, 200, t);
  }
  b.waited(wait, 2, 3000, 300 * us, 300 * us);
  b.spent(0, State::serial, 250 * us);
  b.spent(0, State::work, 1350 * us);
  b.spent(0, State::overhead, 450 * us);
  b.spent(1, State::work, 1050 * us);
  b.spent(1, State::overhead, 450 * us);
  b.spent(1, State::idle, 300 * us);
  b.p.parallelism = 2650.0 / 850.0;
  return b.p;
}

}  // namespace einkorn::report_test
