// Golden programs with procedures, as golden_programs.h.
#pragma once
#include "grain_writer.h"

namespace einkorn::test {

// Thread 0 invokes p and waits in the region's last barrier. p invokes q twice and gives way: of nobody is that a wait.
// Thread 0 runs the second q, thread 1 the first one, which ends last; so thread 1 goes on with p, at 1. p gives way
// for its children once more, who have all ended, so it goes on at 2 at once; and at 3 where only a region's instance
// would have others to wait for.
inline GrainFile procedures() {
  GrainFile file;
  uint32_t parallel = file.site(Construct::parallel, 0x1000), end = file.site(Construct::barrier_parallel, 0x1000);
  uint32_t p = file.site(Construct::task, 0x2000, 0x1100, record::kSiteProcedure);
  uint32_t q = file.site(Construct::task, 0x3000, 0x2100, record::kSiteProcedure);
  uint32_t one = file.site(Construct::stretch, 0x2000, 0, 0, ";p.c;p;12;1;;");
  uint32_t two = file.site(Construct::stretch, 0x2000, 0, 0, ";p.c;p;14;2;;");
  uint32_t three = file.site(Construct::stretch, 0x2000, 0, record::kSiteNowait, ";p.c;p;16;3;;");
  Script& a = file.thread(Script::kInitial);
  Script& b = file.thread(Script::kWorker, 50);
  a.at(0).cpu(0, 0);
  b.at(50).cpu(3, 1);
  uint64_t region = a.new_region();
  a.at(100).region_begin(parallel, region, 2);
  a.at(110).implicit_begin(0, region);
  const uint64_t instance = a.at(130).create(p, 5);
  a.at(150).wait_begin(end);
  a.at(160).start(instance);
  const uint64_t first = a.at(190).create(q, 5), second = a.at(205).create(q, 5);
  a.at(230).suspend(one);
  a.at(235).start(second).at(285).end().at(290).idle_begin().at(395).idle_end();
  a.at(400).wait_end().implicit_end().at(410).region_end().at(430).thread_end();
  b.at(112).implicit_begin(1, region);
  b.at(115).wait_begin(end).at(116).idle_begin().at(200).idle_end();
  b.at(205).start(first).at(305).end();
  b.at(310).start(instance).at(340).stretch(two).at(350).stretch(three).at(380).end();
  b.at(385).idle_begin().at(395).idle_end().at(400).wait_end().implicit_end();
  return file;
}

inline const char* const kProcedures = R"(
  fragment init#0 at 0 takes 100 critical
  fork fork r0 at 100 takes 10 critical
  fragment r0.t0.s0#0 at 110 takes 20 critical
  fork fork r0.t0/0 at 130 takes 5 critical
  fragment r0.t0/0#0 at 160 takes 30 critical
  fork fork r0.t0/0/0 at 190 takes 5 critical
  fragment r0.t0/0/0#0 at 205 takes 100 critical
  fragment r0.t0/0#1 at 195 takes 10
  fork fork r0.t0/0/1 at 205 takes 5
  fragment r0.t0/0/1#0 at 235 takes 50
  fragment r0.t0/0#2 at 210 takes 20
  join join r0.t0/0#0 at 310 takes 0 critical
  fragment r0.t0/0#3 at 310 takes 30 critical
  join join r0.t0/0#1 at 340 takes 0 critical
  fragment r0.t0/0#4 at 340 takes 10 critical
  fragment r0.t0/0#5 at 350 takes 30 critical
  fragment r0.t0.s0#1 at 135 takes 15
  fragment r0.t1.s0#0 at 112 takes 3
  join team r0#0 at 410 takes 0 critical
  fragment init#1 at 410 takes 20 critical
  continuation: init#0 -> fork r0
  creation: fork r0 -> r0.t0.s0#0
  creation: fork r0 -> r0.t1.s0#0
  continuation: r0.t0.s0#0 -> fork r0.t0/0
  creation: fork r0.t0/0 -> r0.t0/0#0
  continuation: fork r0.t0/0 -> r0.t0.s0#1
  continuation: r0.t0/0#0 -> fork r0.t0/0/0
  creation: fork r0.t0/0/0 -> r0.t0/0/0#0
  continuation: fork r0.t0/0/0 -> r0.t0/0#1
  continuation: r0.t0/0#1 -> fork r0.t0/0/1
  creation: fork r0.t0/0/1 -> r0.t0/0/1#0
  continuation: fork r0.t0/0/1 -> r0.t0/0#2
  continuation: r0.t0/0#2 -> join r0.t0/0#0
  join: r0.t0/0/0#0 -> join r0.t0/0#0
  join: r0.t0/0/1#0 -> join r0.t0/0#0
  continuation: join r0.t0/0#0 -> r0.t0/0#3
  continuation: r0.t0/0#3 -> join r0.t0/0#1
  continuation: join r0.t0/0#1 -> r0.t0/0#4
  continuation: r0.t0/0#4 -> r0.t0/0#5
  join: r0.t0/0#5 -> team r0#0
  join: r0.t0.s0#1 -> team r0#0
  join: r0.t1.s0#0 -> team r0#0
  continuation: team r0#0 -> init#1
)";

// Two instances of a region, beside each other. The first says early that the other need not wait for its first step,
// and waits for the other's; the other finds that done, and waits for a second step that the first never does: until it
// has ended.
inline GrainFile instances_beside() {
  GrainFile file;
  uint32_t parallel = file.site(Construct::parallel, 0x1000), end = file.site(Construct::barrier_parallel, 0x1000);
  uint32_t near = file.site(Construct::ordered, 0, 0x1000);
  uint32_t one = file.site(Construct::stretch, 0x1000, 0, record::kSiteNowait, ";p.c;p;12;1;;");
  Script& a = file.thread(Script::kInitial);
  Script& b = file.thread(Script::kWorker, 50);
  uint64_t region = a.new_region();
  a.at(100).region_begin(parallel, region, 2);
  a.at(110).implicit_begin(0, region);
  a.at(130).step_done(1).at(150).wait_begin(near).at(185).wait_end().stretch(one).behind(1, {1});
  a.at(290).wait_begin(end).at(340).wait_end().implicit_end().at(350).region_end().at(370).thread_end();
  b.at(112).implicit_begin(1, region);
  b.at(180).stretch(one).behind(1, {0});
  b.at(260).wait_begin(near).at(295).wait_end().stretch(one).behind(2, {0});
  b.at(330).wait_begin(end).at(340).wait_end().implicit_end();
  return file;
}

inline const char* const kInstancesBeside = R"(
  fragment init#0 at 0 takes 100 critical
  fork fork r0 at 100 takes 10 critical
  fragment r0.t0.s0#0 at 110 takes 20
  fragment r0.t0.s0#1 at 130 takes 20
  join join r0.t0.s0#0 at 185 takes 0
  fragment r0.t1.s0#0 at 112 takes 68 critical
  fragment r0.t0.s1#0 at 185 takes 105 critical
  fragment r0.t1.s0#1 at 180 takes 80
  join join r0.t1.s0#0 at 295 takes 0
  fragment r0.t1.s1#0 at 295 takes 35 critical
  join team r0#0 at 350 takes 0 critical
  fragment init#1 at 350 takes 20 critical
  continuation: init#0 -> fork r0
  creation: fork r0 -> r0.t0.s0#0
  creation: fork r0 -> r0.t1.s0#0
  continuation: r0.t0.s0#0 -> r0.t0.s0#1
  dependence: r0.t0.s0#0 -> r0.t1.s0#1
  continuation: r0.t0.s0#1 -> join r0.t0.s0#0
  continuation: join r0.t0.s0#0 -> r0.t0.s1#0
  dependence: r0.t1.s0#0 -> r0.t0.s1#0
  continuation: r0.t1.s0#0 -> r0.t1.s0#1
  join: r0.t0.s1#0 -> team r0#0
  dependence: r0.t0.s1#0 -> r0.t1.s1#0
  continuation: r0.t1.s0#1 -> join r0.t1.s0#0
  continuation: join r0.t1.s0#0 -> r0.t1.s1#0
  join: r0.t1.s1#0 -> team r0#0
  continuation: team r0#0 -> init#1
)";

}  // namespace einkorn::test
