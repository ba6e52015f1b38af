// What the program itself serializes, as scripts and as graphs worked out by hand: tasks that their creator waits for,
// and ordered loops.
#pragma once
#include "grain_writer.h"

namespace einkorn::test {

// A team of one. Two tasks with if(0); the first makes one that the runtime runs at once, since there is nobody else.
inline GrainFile undeferred_tasks() {
  GrainFile file;
  uint32_t parallel = file.site(Construct::parallel, 0x1000), end = file.site(Construct::barrier_parallel, 0x1000);
  uint32_t if_false = file.site(Construct::task, 0x2000, 0, record::kSiteUndeferred);
  uint32_t inlined = file.site(Construct::task, 0x3000, 0, record::kSiteUndeferred | record::kSiteInlined);
  Script& a = file.thread(Script::kInitial);
  uint64_t region = a.new_region();
  a.at(100).region_begin(parallel, region, 1);
  a.at(110).implicit_begin(0, region);
  uint64_t first = a.at(120).create(if_false, 0);
  a.start(first);
  uint64_t child = a.at(125).create(inlined, 0);
  a.start(child).at(135).end();
  a.at(150).end();
  uint64_t second = a.at(160).create(if_false, 0);
  a.start(second).at(180).end();
  a.at(190).wait_begin(end).at(195).wait_end().implicit_end();
  a.at(200).region_end().at(210).thread_end();
  return file;
}
inline const char* const kUndeferredTasks = R"(
  fragment init#0 at 0 takes 100 critical
  fork fork r0 at 100 takes 10 critical
  fragment r0.t0.s0#0 at 110 takes 10 critical
  fork fork r0.t0/0 at 120 takes 0 critical
  fragment r0.t0/0#0 at 120 takes 5 critical
  fork fork r0.t0/0/0 at 125 takes 0 critical
  fragment r0.t0/0/0#0 at 125 takes 10
  fragment r0.t0/0#1 at 135 takes 15 critical
  join join r0.t0.s0#0 at 150 takes 0 critical
  fragment r0.t0.s0#1 at 150 takes 10 critical
  fork fork r0.t0/1 at 160 takes 0 critical
  fragment r0.t0/1#0 at 160 takes 20 critical
  join join r0.t0.s0#1 at 180 takes 0 critical
  fragment r0.t0.s0#2 at 180 takes 10 critical
  join team r0#0 at 200 takes 0 critical
  fragment init#1 at 200 takes 10 critical
  continuation: init#0 -> fork r0
  creation: fork r0 -> r0.t0.s0#0
  continuation: r0.t0.s0#0 -> fork r0.t0/0
  creation: fork r0.t0/0 -> r0.t0/0#0
  continuation: r0.t0/0#0 -> fork r0.t0/0/0
  creation: fork r0.t0/0/0 -> r0.t0/0/0#0
  continuation: fork r0.t0/0/0 -> r0.t0/0#1
  continuation: fork r0.t0/0 -> join r0.t0.s0#0
  join: r0.t0/0#1 -> join r0.t0.s0#0
  continuation: join r0.t0.s0#0 -> r0.t0.s0#1
  continuation: r0.t0.s0#1 -> fork r0.t0/1
  creation: fork r0.t0/1 -> r0.t0/1#0
  continuation: fork r0.t0/1 -> join r0.t0.s0#1
  join: r0.t0/1#0 -> join r0.t0.s0#1
  continuation: join r0.t0.s0#1 -> r0.t0.s0#2
  join: r0.t0.s0#2 -> team r0#0
  join: r0.t0/0/0#0 -> team r0#0
  continuation: team r0#0 -> init#1
)";

// Four chunks on two threads, each 10 on its own and then 40 in its turn (39 the second).
inline GrainFile ordered_loop() {
  GrainFile file;
  uint32_t parallel = file.site(Construct::parallel, 0x1000), end = file.site(Construct::barrier_parallel, 0x1000);
  uint32_t loop = file.site(Construct::loop, 0x1000), ordered = file.site(Construct::ordered, 0, 0x1100);
  constexpr uint64_t kTurn = 0x77;
  Script& a = file.thread(Script::kInitial);
  Script& b = file.thread(Script::kWorker, 60);
  uint64_t region = a.new_region();
  a.at(100).region_begin(parallel, region, 2);
  a.at(110).implicit_begin(0, region);
  a.at(115).loop_begin(loop, 4, 1);
  a.at(120).chunk(0).at(130).mutex_acquired(ordered, kTurn).at(170).mutex_released(kTurn).chunk_end();
  a.at(172).chunk(2).at(182).mutex_wait(ordered, kTurn).at(212).mutex_acquired(ordered, kTurn).at(252).mutex_released(kTurn).chunk_end();
  a.at(255).loop_end();
  a.at(256).wait_begin(end).at(300).wait_end().implicit_end();
  a.at(305).region_end().at(320).thread_end();
  b.at(112).implicit_begin(1, region);
  b.at(116).loop_begin(loop, 4, 1);
  b.at(121).chunk(1).at(131).mutex_wait(ordered, kTurn).at(171).mutex_acquired(ordered, kTurn).at(210).mutex_released(kTurn).chunk_end();
  b.at(213).chunk(3).at(223).mutex_wait(ordered, kTurn).at(254).mutex_acquired(ordered, kTurn).at(294).mutex_released(kTurn).chunk_end();
  b.at(296).loop_end();
  b.at(297).wait_begin(end).at(299).wait_end().implicit_end();
  return file;
}
inline const char* const kOrderedLoop = R"(
  fragment init#0 at 0 takes 100 critical
  fork fork r0 at 100 takes 10 critical
  fragment r0.t0.s0#0 at 110 takes 5 critical
  bookkeeping book r0.t0#0 at 115 takes 5 critical
  chunk r0[0-0]#0 at 120 takes 10 critical
  chunk r0[0-0]#1 at 130 takes 40 critical
  bookkeeping book r0.t0#1 at 170 takes 2
  chunk r0[2-2]#0 at 172 takes 10
  chunk r0[2-2]#1 at 212 takes 40 critical
  bookkeeping book r0.t0#2 at 252 takes 3
  fragment r0.t0.s1#0 at 255 takes 1
  fragment r0.t1.s0#0 at 112 takes 4
  bookkeeping book r0.t1#0 at 116 takes 5
  chunk r0[1-1]#0 at 121 takes 10
  chunk r0[1-1]#1 at 171 takes 39 critical
  bookkeeping book r0.t1#1 at 210 takes 3
  chunk r0[3-3]#0 at 213 takes 10
  chunk r0[3-3]#1 at 254 takes 40 critical
  bookkeeping book r0.t1#2 at 294 takes 2 critical
  fragment r0.t1.s1#0 at 296 takes 1 critical
  join team r0#0 at 305 takes 0 critical
  fragment init#1 at 305 takes 15 critical
  continuation: init#0 -> fork r0
  creation: fork r0 -> r0.t0.s0#0
  creation: fork r0 -> r0.t1.s0#0
  continuation: r0.t0.s0#0 -> book r0.t0#0
  continuation: book r0.t0#0 -> r0[0-0]#0
  continuation: r0[0-0]#0 -> r0[0-0]#1
  continuation: r0[0-0]#1 -> book r0.t0#1
  continuation: book r0.t0#1 -> r0[2-2]#0
  continuation: r0[2-2]#0 -> r0[2-2]#1
  continuation: r0[2-2]#1 -> book r0.t0#2
  continuation: book r0.t0#2 -> r0.t0.s1#0
  join: r0.t0.s1#0 -> team r0#0
  continuation: r0.t1.s0#0 -> book r0.t1#0
  continuation: book r0.t1#0 -> r0[1-1]#0
  continuation: r0[1-1]#0 -> r0[1-1]#1
  continuation: r0[1-1]#1 -> book r0.t1#1
  continuation: book r0.t1#1 -> r0[3-3]#0
  continuation: r0[3-3]#0 -> r0[3-3]#1
  continuation: r0[3-3]#1 -> book r0.t1#2
  continuation: book r0.t1#2 -> r0.t1.s1#0
  join: r0.t1.s1#0 -> team r0#0
  dependence: r0[0-0]#1 -> r0[1-1]#1
  dependence: r0[1-1]#1 -> r0[2-2]#1
  dependence: r0[2-2]#1 -> r0[3-3]#1
  continuation: team r0#0 -> init#1
)";

}  // namespace einkorn::test
