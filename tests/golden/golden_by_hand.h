// Golden programs with codelets by hand, as golden_programs.h.
#pragma once
#include "grain_writer.h"

namespace einkorn::test {

// Codelet x waits for three signals: of thread 1, and of two tasks A and B. A comes last, so F, the firing, is its child;
// B, created after A, has signalled before. F resets x to two signals and gives both itself, some time apart: F2 is its
// child. B also signals y, which never fires.
inline GrainFile by_hand() {
  GrainFile file;
  uint32_t parallel = file.site(Construct::parallel, 0x1000), end = file.site(Construct::barrier_parallel, 0x1000);
  uint32_t task = file.site(Construct::task, 0x2000), firing = file.site(Construct::task, 0x3000);
  constexpr uint64_t x = 0x7000, y = 0x7040;
  Script& a = file.thread(Script::kInitial);
  Script& b = file.thread(Script::kWorker, 50);
  uint64_t region = a.new_region();
  a.at(100).region_begin(parallel, region, 2);
  a.at(110).implicit_begin(0, region);
  const uint64_t first = a.at(130).create(task, 5), second = a.at(140).create(task, 5);
  a.at(150).wait_begin(end);
  a.at(160).start(first);
  const uint64_t f = a.at(260).create(firing, 10);
  a.fired(x, 7, 20).at(290).end();
  a.at(300).start(f).at(350).signal(x, 1);
  const uint64_t f2 = a.at(380).create(firing, 5);
  a.fired(x, 7, 20).at(400).end();
  a.at(450).wait_end().implicit_end().at(460).region_end().at(480).thread_end();
  b.at(112).implicit_begin(1, region).at(130).signal(x, 2);
  b.at(150).wait_begin(end);
  b.at(155).start(second).at(255).signal(x, 1).at(260).signal(y, 5).at(270).end();
  b.at(410).start(f2).at(440).end();
  b.at(450).wait_end().implicit_end();
  return file;
}

inline const char* const kByHand = R"(
  fragment init#0 at 0 takes 100 critical
  fork fork r0 at 100 takes 10 critical
  fragment r0.t0.s0#0 at 110 takes 20 critical
  fork fork r0.t0/0 at 130 takes 5 critical
  fragment r0.t0/0#0 at 160 takes 100
  fork fork r0.t0/0/0 at 260 takes 10
  fragment r0.t0/0#1 at 270 takes 20
  fragment r0.t0.s0#1 at 135 takes 5 critical
  fork fork r0.t0/1 at 140 takes 5 critical
  fragment r0.t0/1#0 at 155 takes 100 critical
  fragment r0.t0/1#1 at 255 takes 5
  fragment r0.t0/1#2 at 260 takes 10
  fragment r0.t0.s0#2 at 145 takes 5
  fragment r0.t1.s0#0 at 112 takes 18
  fragment r0.t1.s0#1 at 130 takes 20
  fragment r0.t0/0/0#0 at 300 takes 50 critical
  fragment r0.t0/0/0#1 at 350 takes 30 critical
  fork fork r0.t0/0/0/0 at 380 takes 5 critical
  fragment r0.t0/0/0/0#0 at 410 takes 30 critical
  fragment r0.t0/0/0#2 at 385 takes 15
  join team r0#0 at 460 takes 0 critical
  fragment init#1 at 460 takes 20 critical
  continuation: init#0 -> fork r0
  creation: fork r0 -> r0.t0.s0#0
  creation: fork r0 -> r0.t1.s0#0
  continuation: r0.t0.s0#0 -> fork r0.t0/0
  creation: fork r0.t0/0 -> r0.t0/0#0
  continuation: fork r0.t0/0 -> r0.t0.s0#1
  continuation: r0.t0/0#0 -> fork r0.t0/0/0
  creation: fork r0.t0/0/0 -> r0.t0/0/0#0
  continuation: fork r0.t0/0/0 -> r0.t0/0#1
  continuation: r0.t0.s0#1 -> fork r0.t0/1
  creation: fork r0.t0/1 -> r0.t0/1#0
  continuation: fork r0.t0/1 -> r0.t0.s0#2
  continuation: r0.t0/1#0 -> r0.t0/1#1
  continuation: r0.t0/1#1 -> r0.t0/1#2
  continuation: r0.t1.s0#0 -> r0.t1.s0#1
  dependence: r0.t1.s0#0 -> r0.t0/0/0#0
  dependence: r0.t0/1#0 -> r0.t0/0/0#0
  continuation: r0.t0/0/0#0 -> r0.t0/0/0#1
  dependence: r0.t0/0/0#0 -> r0.t0/0/0/0#0
  continuation: r0.t0/0/0#1 -> fork r0.t0/0/0/0
  creation: fork r0.t0/0/0/0 -> r0.t0/0/0/0#0
  continuation: fork r0.t0/0/0/0 -> r0.t0/0/0#2
  join: r0.t0/0#1 -> team r0#0
  join: r0.t0/1#2 -> team r0#0
  join: r0.t0/0/0#2 -> team r0#0
  join: r0.t0/0/0/0#0 -> team r0#0
  join: r0.t0.s0#2 -> team r0#0
  join: r0.t1.s0#1 -> team r0#0
  continuation: team r0#0 -> init#1
)";

// As programs/by_hand.c: thread 1 signals first, thread 0 then creates the firing.
inline GrainFile signals() {
  GrainFile file;
  uint32_t parallel = file.site(Construct::parallel, 0x1000), end = file.site(Construct::barrier_parallel, 0x1000);
  uint32_t firing = file.site(Construct::task, 0x3000);
  Script& a = file.thread(Script::kInitial);
  Script& b = file.thread(Script::kWorker, 50);
  uint64_t region = a.new_region();
  a.at(100).region_begin(parallel, region, 2);
  a.at(110).implicit_begin(0, region);
  const uint64_t f = a.at(150).create(firing, 5);
  a.fired(0x7000, 1, 11).at(170).wait_begin(end).at(175).start(f).at(200).end();
  a.at(210).wait_end().implicit_end().at(220).region_end().at(230).thread_end();
  b.at(112).implicit_begin(1, region).at(130).signal(0x7000, 1);
  b.at(160).wait_begin(end).at(210).wait_end().implicit_end();
  return file;
}

inline const char* const kSignals = R"(
  fragment init#0 at 0 takes 100
  fork fork r0 at 100 takes 10
  fragment r0.t0.s0#0 at 110 takes 40
  fork fork r0.t0/0 at 150 takes 5
  fragment r0.t0/0#0 at 175 takes 25
  fragment r0.t0.s0#1 at 155 takes 15
  fragment r0.t1.s0#0 at 112 takes 18
  fragment r0.t1.s0#1 at 130 takes 30
  join team r0#0 at 220 takes 0
  fragment init#1 at 220 takes 10
  continuation: init#0 -> fork r0
  creation: fork r0 -> r0.t0.s0#0
  creation: fork r0 -> r0.t1.s0#0
  continuation: r0.t0.s0#0 -> fork r0.t0/0
  creation: fork r0.t0/0 -> r0.t0/0#0
  dependence: r0.t1.s0#0 -> r0.t0/0#0
  continuation: fork r0.t0/0 -> r0.t0.s0#1
  continuation: r0.t1.s0#0 -> r0.t1.s0#1
  join: r0.t0/0#0 -> team r0#0
  join: r0.t0.s0#1 -> team r0#0
  join: r0.t1.s0#1 -> team r0#0
  continuation: team r0#0 -> init#1
)";

}  // namespace einkorn::test
