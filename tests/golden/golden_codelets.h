// A golden program that runs a graph of codelets, as golden_programs.h.
#pragma once
#include "grain_writer.h"

namespace einkorn::test {

// 0 leads to 1 and 2, both lead to 3, and 3 to the only one of another class, 4. Thread 0 calls the run and fires 0, 1,
// 3 and 4. 1 is over at once: only its class, its time and that it was one are recorded. Thread 1 comes to help with 2.
inline GrainFile codelet_diamond() {
  GrainFile file;
  uint32_t parallel = file.site(Construct::parallel, 0x1000), end = file.site(Construct::barrier_parallel, 0x1000);
  uint32_t run = file.site(Construct::codelet_graph, 0, 0x1100);
  uint32_t four = file.site(Construct::codelet, 0x2000, 0x1200, record::kSiteHasDepend);
  uint32_t last = file.site(Construct::codelet, 0x3000, 0x1300, record::kSiteHasDepend);
  const uint32_t graph = file.graph("diamond", 5, {{four, 0}, {last, 4}}, {{0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, 4}});
  Script& a = file.thread(Script::kInitial);
  Script& b = file.thread(Script::kWorker, 50);
  a.at(0).cpu(0, 0);
  b.at(50).cpu(3, 1);
  uint64_t region = a.new_region();
  a.at(100).region_begin(parallel, region, 2);
  a.at(110).implicit_begin(0, region);
  const uint64_t diamond = a.at(150).graph_run(run, graph);
  a.at(160).codelet(0, diamond).at(460).codelet_end();
  a.at(500).put(Kind::aggregate, 1, {40, 15, 25, 0, 0});
  a.put(Kind::subtree, four, {0, 1, 1, 15, 15, 15, 1, 0, 0, 0, 0, 0, 0, 0});
  a.idle_begin().at(905).idle_end();
  a.at(910).codelet(3, diamond).at(1210).codelet_end();
  a.at(1215).codelet(4, diamond).at(1615).codelet_end();
  a.at(1620).wait_end();
  a.at(1650).wait_begin(end).at(1660).wait_end().implicit_end();
  a.at(1670).region_end().at(1700).thread_end();
  b.at(112).implicit_begin(1, region);
  b.at(115).wait_begin(end).at(116).idle_begin().at(465).idle_end();
  b.at(470).codelet(2, diamond).at(900).codelet_end();
  b.at(905).idle_begin().at(1655).idle_end().at(1662).wait_end().implicit_end();
  return file;
}
// For fuzzers: two runs of one graph and one of another, codelets that are only counted between those that are recorded, a
// task that one of them makes, a loss in a run, and a firing whose run is not there.
inline GrainFile codelet_runs(bool compress = false) {
  GrainFile file;
  file.compress = compress;
  uint32_t parallel = file.site(Construct::parallel, 0x1000), end = file.site(Construct::barrier_parallel, 0x1000);
  uint32_t run = file.site(Construct::codelet_graph, 0, 0x1100), task = file.site(Construct::task, 0x4000);
  uint32_t first = file.site(Construct::codelet, 0x2000, 0x1200, record::kSiteHasDepend);
  uint32_t last = file.site(Construct::codelet, 0x3000, 0x1300, record::kSiteHasDepend);
  const uint32_t chain = file.graph("chain", 4, {{first, 0}, {last, 3}}, {{0, 1}, {1, 2}, {0, 2}, {2, 3}});
  const uint32_t wide = file.graph("wide", 3, {{last, 0}}, {});
  Script& a = file.thread(Script::kInitial);
  Script& b = file.thread(Script::kWorker, 50);
  uint64_t region = a.new_region(), now = 110;
  a.at(100).region_begin(parallel, region, 2).at(110).implicit_begin(0, region);
  b.at(112).implicit_begin(1, region).at(115).wait_begin(end);
  for (int n = 0; n < 2; ++n) {
    const uint64_t id = a.at(now += 10).graph_run(run, chain);
    a.at(now += 10).codelet(0, id);
    const uint64_t made = a.at(now += 50).create(task, 5);
    a.at(now += 20).wait_begin(run).at(now + 1).start(made).at(now + 9).end().wait_end();
    a.at(now += 300).codelet_end();
    a.at(now += 40).put(Kind::aggregate, 2, {40, 30, 10, 0, 0});
    if (n == 1) a.at(now += 100).loss(100, 0, 1, 0, 0);
    b.at(now += 10).codelet(3, id).at(now += 400).codelet_end();
    a.at(now += 10).put(Kind::subtree, first, {0, 2, 2, 30, 15, 15, 2, 0, 0, 0, 0, 0, 0, 0});
    a.at(now += 10).wait_end();
  }
  b.at(now += 10).codelet(1, record::make_id(7, 7)).at(now += 300).codelet_end();
  const uint64_t id = a.at(now += 10).graph_run(run, wide);
  a.at(now += 10).codelet(2, id).at(now += 300).codelet_end().at(now += 10).wait_end();
  b.at(now += 10).wait_end().implicit_end();
  a.at(now += 10).wait_begin(end).wait_end().implicit_end().region_end().at(now += 10).thread_end();
  return file;
}

inline const char* const kCodeletDiamond = R"(
  fragment init#0 at 0 takes 100 critical
  fork fork r0 at 100 takes 10 critical
  fragment r0.t0.s0#0 at 110 takes 40 critical
  fork fork r0.t0/0 at 150 takes 0 critical
  fragment r0.t0/0#0 at 160 takes 300 critical
  fork fork ? at 150 takes 0
  joint joint r0.t0.s0#0 at 150 takes 0
  fork fork r0.t0/2 at 150 takes 0
  fragment r0.t0/2#0 at 470 takes 430 critical
  fork fork r0.t0/3 at 150 takes 0
  fragment r0.t0/3#0 at 910 takes 300 critical
  fork fork r0.t0/4 at 150 takes 0
  fragment r0.t0/4#0 at 1215 takes 400 critical
  join join r0.t0.s0#0 at 1620 takes 0 critical
  fragment r0.t0.s1#0 at 1620 takes 30 critical
  fragment r0.t1.s0#0 at 112 takes 3
  join team r0#0 at 1670 takes 0 critical
  fragment init#1 at 1670 takes 30 critical
  continuation: init#0 -> fork r0
  creation: fork r0 -> r0.t0.s0#0
  creation: fork r0 -> r0.t1.s0#0
  continuation: r0.t0.s0#0 -> fork r0.t0/0
  continuation: fork r0.t0/0 -> fork ?
  continuation: fork ? -> fork r0.t0/2
  continuation: fork r0.t0/2 -> fork r0.t0/3
  continuation: fork r0.t0/3 -> fork r0.t0/4
  continuation: fork r0.t0/4 -> join r0.t0.s0#0
  creation: fork r0.t0/0 -> r0.t0/0#0
  creation: fork ? -> joint r0.t0.s0#0
  creation: fork r0.t0/2 -> r0.t0/2#0
  creation: fork r0.t0/3 -> r0.t0/3#0
  creation: fork r0.t0/4 -> r0.t0/4#0
  dependence: r0.t0/0#0 -> joint r0.t0.s0#0
  dependence: r0.t0/0#0 -> r0.t0/2#0
  dependence: joint r0.t0.s0#0 -> r0.t0/3#0
  dependence: r0.t0/2#0 -> r0.t0/3#0
  dependence: r0.t0/3#0 -> r0.t0/4#0
  join: r0.t0/0#0 -> join r0.t0.s0#0
  join: joint r0.t0.s0#0 -> join r0.t0.s0#0
  join: r0.t0/2#0 -> join r0.t0.s0#0
  join: r0.t0/3#0 -> join r0.t0.s0#0
  join: r0.t0/4#0 -> join r0.t0.s0#0
  continuation: join r0.t0.s0#0 -> r0.t0.s1#0
  join: r0.t0.s1#0 -> team r0#0
  join: r0.t1.s0#0 -> team r0#0
  continuation: team r0#0 -> init#1
)";

}  // namespace einkorn::test
