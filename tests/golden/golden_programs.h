// The four golden programs: their recordings as scripts, and their graphs as worked out by hand from those. The same
// programs in C are programs/*.c.
#pragma once
#include "grain_writer.h"

namespace einkorn::test {

// Muddukrishna's figure 5.3: foo creates bar and baz with computation between, and joins both. foo is stolen by the
// second thread, bar by the first.
inline GrainFile figure53_tasks() {
  GrainFile file;
  uint32_t parallel = file.site(Construct::parallel, 0x1000), end = file.site(Construct::barrier_parallel, 0x1000);
  uint32_t foo = file.site(Construct::task, 0x2000), bar = file.site(Construct::task, 0x3000);
  uint32_t baz = file.site(Construct::task, 0x4000), wait = file.site(Construct::taskwait, 0, 0x2100);
  Script& a = file.thread(Script::kInitial);
  Script& b = file.thread(Script::kWorker, 50);
  a.at(0).cpu(0, 0);
  b.at(50).cpu(3, 1);
  uint64_t region = a.new_region();
  a.at(100).region_begin(parallel, region, 2);
  a.at(110).implicit_begin(0, region);
  uint64_t foo_id = a.at(130).create(foo, 5);
  a.at(150).wait_begin(end);
  a.at(160).idle_begin();
  b.at(112).implicit_begin(1, region);
  b.at(120).wait_begin(end);
  b.at(125).idle_begin().at(140).idle_end();
  b.at(145).start(foo_id);
  uint64_t bar_id = b.at(165).create(bar, 10);
  uint64_t baz_id = b.at(190).create(baz, 5);
  b.at(200).wait_begin(wait);
  b.at(210).start(baz_id).at(270).end();
  b.at(280).wait_end().at(295).end();
  b.at(298).idle_begin().at(302).idle_end();
  b.at(305).wait_end().implicit_end();
  a.at(200).idle_end().at(205).start(bar_id).at(245).end();
  a.at(250).idle_begin().at(300).idle_end();
  a.at(310).wait_end().implicit_end();
  a.at(320).region_end().at(400).thread_end();
  return file;
}
inline const char* const kFigure53Tasks = R"(
  fragment init#0 at 0 takes 100 critical
  fork fork r0 at 100 takes 10 critical
  fragment r0.t0.s0#0 at 110 takes 20 critical
  fork fork r0.t0/0 at 130 takes 5 critical
  fragment r0.t0/0#0 at 145 takes 20 critical
  fork fork r0.t0/0/0 at 165 takes 10 critical
  fragment r0.t0/0/0#0 at 205 takes 40
  fragment r0.t0/0#1 at 175 takes 15 critical
  fork fork r0.t0/0/1 at 190 takes 5 critical
  fragment r0.t0/0/1#0 at 210 takes 60 critical
  fragment r0.t0/0#2 at 195 takes 5
  join join r0.t0/0#0 at 280 takes 0 critical
  fragment r0.t0/0#3 at 280 takes 15 critical
  fragment r0.t0.s0#1 at 135 takes 15
  fragment r0.t1.s0#0 at 112 takes 8
  join team r0#0 at 320 takes 0 critical
  fragment init#1 at 320 takes 80 critical
  continuation: init#0 -> fork r0
  creation: fork r0 -> r0.t0.s0#0
  creation: fork r0 -> r0.t1.s0#0
  continuation: r0.t0.s0#0 -> fork r0.t0/0
  continuation: fork r0.t0/0 -> r0.t0.s0#1
  creation: fork r0.t0/0 -> r0.t0/0#0
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
  join: r0.t0/0#3 -> team r0#0
  join: r0.t0.s0#1 -> team r0#0
  join: r0.t1.s0#0 -> team r0#0
  continuation: team r0#0 -> init#1
)";

// The loop of figure 5.3: 20 iterations in 5 chunks of 4 on 2 threads.
inline GrainFile figure53_loop() {
  GrainFile file;
  uint32_t parallel = file.site(Construct::parallel, 0x1000), end = file.site(Construct::barrier_parallel, 0x1000);
  uint32_t loop = file.site(Construct::loop, 0x1000);
  Script& a = file.thread(Script::kInitial);
  Script& b = file.thread(Script::kWorker, 60);
  a.at(0).cpu(0, 0);
  b.at(60).cpu(3, 1);
  uint64_t region = a.new_region();
  a.at(100).region_begin(parallel, region, 2);
  a.at(110).implicit_begin(0, region);
  a.at(115).loop_begin(loop, 20, 4);
  a.at(120).chunk(0).at(160).chunk_end();
  a.at(162).chunk(8).at(200).chunk_end();
  a.at(203).chunk(16).at(243).chunk_end();
  a.at(250).loop_end();
  a.at(252).wait_begin(end).at(260).idle_begin().at(270).idle_end();
  a.at(275).wait_end().implicit_end();
  a.at(280).region_end().at(300).thread_end();
  b.at(118).implicit_begin(1, region);
  b.at(121).loop_begin(loop, 20, 4);
  b.at(125).chunk(4).at(185).chunk_end();
  b.at(188).chunk(12).at(258).chunk_end();
  b.at(261).loop_end();
  b.at(262).wait_begin(end).at(268).wait_end().implicit_end();
  return file;
}
inline const char* const kFigure53Loop = R"(
  fragment init#0 at 0 takes 100 critical
  fork fork r0 at 100 takes 10 critical
  fragment r0.t0.s0#0 at 110 takes 5
  bookkeeping book r0.t0#0 at 115 takes 5
  chunk r0[0-3]#0 at 120 takes 40
  bookkeeping book r0.t0#1 at 160 takes 2
  chunk r0[8-11]#0 at 162 takes 38
  bookkeeping book r0.t0#2 at 200 takes 3
  chunk r0[16-19]#0 at 203 takes 40
  bookkeeping book r0.t0#3 at 243 takes 7
  fragment r0.t0.s1#0 at 250 takes 2
  fragment r0.t1.s0#0 at 118 takes 3 critical
  bookkeeping book r0.t1#0 at 121 takes 4 critical
  chunk r0[4-7]#0 at 125 takes 60
  bookkeeping book r0.t1#1 at 185 takes 3 critical
  chunk r0[12-15]#0 at 188 takes 70 critical
  bookkeeping book r0.t1#2 at 258 takes 3 critical
  fragment r0.t1.s1#0 at 261 takes 1 critical
  join team r0#0 at 280 takes 0 critical
  fragment init#1 at 280 takes 20 critical
  continuation: init#0 -> fork r0
  creation: fork r0 -> r0.t0.s0#0
  creation: fork r0 -> r0.t1.s0#0
  continuation: r0.t0.s0#0 -> book r0.t0#0
  continuation: book r0.t0#0 -> r0[0-3]#0
  continuation: r0[0-3]#0 -> book r0.t0#1
  continuation: book r0.t0#1 -> r0[8-11]#0
  continuation: r0[8-11]#0 -> book r0.t0#2
  continuation: book r0.t0#2 -> r0[16-19]#0
  continuation: r0[16-19]#0 -> book r0.t0#3
  continuation: book r0.t0#3 -> r0.t0.s1#0
  join: r0.t0.s1#0 -> team r0#0
  continuation: r0.t1.s0#0 -> book r0.t1#0
  continuation: book r0.t1#0 -> r0[4-7]#0
  continuation: r0[4-7]#0 -> book r0.t1#1
  continuation: book r0.t1#1 -> r0[12-15]#0
  continuation: r0[12-15]#0 -> book r0.t1#2
  continuation: book r0.t1#2 -> r0.t1.s1#0
  join: r0.t1.s1#0 -> team r0#0
  continuation: team r0#0 -> init#1
)";

// fib(4), two tasks a call; fib(3) is stolen.
inline GrainFile fib4() {
  GrainFile file;
  uint32_t parallel = file.site(Construct::parallel, 0x1000), end = file.site(Construct::barrier_parallel, 0x1000);
  uint32_t left = file.site(Construct::task, 0x2000), right = file.site(Construct::task, 0x3000);
  uint32_t wait = file.site(Construct::taskwait, 0, 0x4000);
  Script& a = file.thread(Script::kInitial);
  Script& b = file.thread(Script::kWorker, 5);
  a.at(0).cpu(0, 0);
  b.at(5).cpu(3, 1);
  uint64_t region = a.new_region();
  a.at(10).region_begin(parallel, region, 2);
  a.at(20).implicit_begin(0, region);
  uint64_t fib3 = a.at(30).create(left, 2);
  uint64_t fib2 = a.at(40).create(right, 2);
  a.at(45).wait_begin(wait);
  a.at(47).start(fib2);
  uint64_t fib21 = a.at(50).create(left, 1);
  uint64_t fib20 = a.at(53).create(right, 1);
  a.at(55).wait_begin(wait);
  a.at(56).start(fib20).at(60).end();
  a.at(61).start(fib21).at(66).end();
  a.at(67).wait_end().at(70).end();
  a.at(72).idle_begin().at(110).idle_end();
  a.at(112).wait_end();
  a.at(115).wait_begin(end).at(120).wait_end().implicit_end();
  a.at(125).region_end().at(140).thread_end();
  b.at(22).implicit_begin(1, region);
  b.at(25).wait_begin(end).at(28).idle_begin().at(35).idle_end();
  b.at(37).start(fib3);
  uint64_t fib32 = b.at(42).create(left, 2);
  uint64_t fib31 = b.at(50).create(right, 2);
  b.at(53).wait_begin(wait);
  b.at(55).start(fib31).at(62).end();
  b.at(64).start(fib32);
  uint64_t fib321 = b.at(70).create(left, 1);
  uint64_t fib320 = b.at(75).create(right, 1);
  b.at(78).wait_begin(wait);
  b.at(79).start(fib320).at(85).end();
  b.at(86).start(fib321).at(95).end();
  b.at(97).wait_end().at(100).end();
  b.at(102).wait_end().at(108).end();
  b.at(111).idle_begin().at(116).idle_end();
  b.at(118).wait_end().implicit_end();
  return file;
}
inline const char* const kFib4 = R"(
  fragment init#0 at 0 takes 10 critical
  fork fork r0 at 10 takes 10 critical
  fragment r0.t0.s0#0 at 20 takes 10 critical
  fork fork r0.t0/0 at 30 takes 2 critical
  fragment r0.t0/0#0 at 37 takes 5 critical
  fork fork r0.t0/0/0 at 42 takes 2 critical
  fragment r0.t0/0/0#0 at 64 takes 6 critical
  fork fork r0.t0/0/0/0 at 70 takes 1 critical
  fragment r0.t0/0/0/0#0 at 86 takes 9
  fragment r0.t0/0/0#1 at 71 takes 4 critical
  fork fork r0.t0/0/0/1 at 75 takes 1 critical
  fragment r0.t0/0/0/1#0 at 79 takes 6 critical
  fragment r0.t0/0/0#2 at 76 takes 2
  join join r0.t0/0/0#0 at 97 takes 0 critical
  fragment r0.t0/0/0#3 at 97 takes 3 critical
  fragment r0.t0/0#1 at 44 takes 6
  fork fork r0.t0/0/1 at 50 takes 2
  fragment r0.t0/0/1#0 at 55 takes 7
  fragment r0.t0/0#2 at 52 takes 1
  join join r0.t0/0#0 at 102 takes 0 critical
  fragment r0.t0/0#3 at 102 takes 6 critical
  fragment r0.t0.s0#1 at 32 takes 8
  fork fork r0.t0/1 at 40 takes 2
  fragment r0.t0/1#0 at 47 takes 3
  fork fork r0.t0/1/0 at 50 takes 1
  fragment r0.t0/1/0#0 at 61 takes 5
  fragment r0.t0/1#1 at 51 takes 2
  fork fork r0.t0/1/1 at 53 takes 1
  fragment r0.t0/1/1#0 at 56 takes 4
  fragment r0.t0/1#2 at 54 takes 1
  join join r0.t0/1#0 at 67 takes 0
  fragment r0.t0/1#3 at 67 takes 3
  fragment r0.t0.s0#2 at 42 takes 3
  join join r0.t0.s0#0 at 112 takes 0 critical
  fragment r0.t0.s1#0 at 112 takes 3 critical
  fragment r0.t1.s0#0 at 22 takes 3
  join team r0#0 at 125 takes 0 critical
  fragment init#1 at 125 takes 15 critical
  continuation: init#0 -> fork r0
  creation: fork r0 -> r0.t0.s0#0
  creation: fork r0 -> r0.t1.s0#0
  continuation: r0.t0.s0#0 -> fork r0.t0/0
  creation: fork r0.t0/0 -> r0.t0/0#0
  continuation: fork r0.t0/0 -> r0.t0.s0#1
  continuation: r0.t0/0#0 -> fork r0.t0/0/0
  creation: fork r0.t0/0/0 -> r0.t0/0/0#0
  continuation: fork r0.t0/0/0 -> r0.t0/0#1
  continuation: r0.t0/0/0#0 -> fork r0.t0/0/0/0
  creation: fork r0.t0/0/0/0 -> r0.t0/0/0/0#0
  continuation: fork r0.t0/0/0/0 -> r0.t0/0/0#1
  continuation: r0.t0/0/0#1 -> fork r0.t0/0/0/1
  creation: fork r0.t0/0/0/1 -> r0.t0/0/0/1#0
  continuation: fork r0.t0/0/0/1 -> r0.t0/0/0#2
  continuation: r0.t0/0/0#2 -> join r0.t0/0/0#0
  join: r0.t0/0/0/0#0 -> join r0.t0/0/0#0
  join: r0.t0/0/0/1#0 -> join r0.t0/0/0#0
  continuation: join r0.t0/0/0#0 -> r0.t0/0/0#3
  continuation: r0.t0/0#1 -> fork r0.t0/0/1
  creation: fork r0.t0/0/1 -> r0.t0/0/1#0
  continuation: fork r0.t0/0/1 -> r0.t0/0#2
  continuation: r0.t0/0#2 -> join r0.t0/0#0
  join: r0.t0/0/0#3 -> join r0.t0/0#0
  join: r0.t0/0/1#0 -> join r0.t0/0#0
  continuation: join r0.t0/0#0 -> r0.t0/0#3
  continuation: r0.t0.s0#1 -> fork r0.t0/1
  creation: fork r0.t0/1 -> r0.t0/1#0
  continuation: fork r0.t0/1 -> r0.t0.s0#2
  continuation: r0.t0/1#0 -> fork r0.t0/1/0
  creation: fork r0.t0/1/0 -> r0.t0/1/0#0
  continuation: fork r0.t0/1/0 -> r0.t0/1#1
  continuation: r0.t0/1#1 -> fork r0.t0/1/1
  creation: fork r0.t0/1/1 -> r0.t0/1/1#0
  continuation: fork r0.t0/1/1 -> r0.t0/1#2
  continuation: r0.t0/1#2 -> join r0.t0/1#0
  join: r0.t0/1/0#0 -> join r0.t0/1#0
  join: r0.t0/1/1#0 -> join r0.t0/1#0
  continuation: join r0.t0/1#0 -> r0.t0/1#3
  continuation: r0.t0.s0#2 -> join r0.t0.s0#0
  join: r0.t0/0#3 -> join r0.t0.s0#0
  join: r0.t0/1#3 -> join r0.t0.s0#0
  continuation: join r0.t0.s0#0 -> r0.t0.s1#0
  join: r0.t0.s1#0 -> team r0#0
  join: r0.t1.s0#0 -> team r0#0
  continuation: team r0#0 -> init#1
)";

// A taskgroup joins a grandchild (B) that its parent (A) did not wait for; a task (C) with a parallel region of its own; a
// task (F) and its child (G) that only the region's end joins.
inline GrainFile nested() {
  GrainFile file;
  uint32_t outer = file.site(Construct::parallel, 0x1000), outer_end = file.site(Construct::barrier_parallel, 0x1000);
  uint32_t inner = file.site(Construct::parallel, 0x5000), inner_end = file.site(Construct::barrier_parallel, 0x5000);
  uint32_t task = file.site(Construct::task, 0x2000), group = file.site(Construct::taskgroup, 0, 0x1100);
  Script& a = file.thread(Script::kInitial);
  Script& b = file.thread(Script::kWorker, 5);
  Script& c = file.thread(Script::kWorker, 6);
  a.at(0).cpu(0, 0);
  b.at(5).cpu(3, 1);
  c.at(6).cpu(5, 1);
  uint64_t region = a.new_region(), nested = a.new_region();
  a.at(10).region_begin(outer, region, 2);
  a.at(14).implicit_begin(0, region);
  a.at(20).group_begin(group);
  uint64_t task_a = a.at(22).create(task, 2);
  a.at(30).wait_begin(group);
  a.at(31).start(task_a);
  uint64_t task_b = a.at(36).create(task, 2);
  a.at(40).end();
  a.at(41).idle_begin().at(60).idle_end();
  a.at(61).wait_end();
  uint64_t task_c = a.at(65).create(task, 3);
  uint64_t task_f = a.at(70).create(task, 2);
  a.at(75).wait_begin(outer_end);
  a.at(77).start(task_c);
  a.at(80).region_begin(inner, nested, 2, 2);
  a.at(84).implicit_begin(0, nested);
  uint64_t task_d = a.at(90).create(task, 1);
  a.at(94).wait_begin(inner_end);
  a.at(95).start(task_d).at(105).end();
  a.at(106).idle_begin().at(110).idle_end();
  a.at(112).wait_end().implicit_end();
  a.at(113).region_end();
  a.at(120).end();
  a.at(121).idle_begin().at(125).idle_end();
  a.at(127).wait_end().implicit_end();
  a.at(128).region_end().at(150).thread_end();
  b.at(16).implicit_begin(1, region);
  b.at(19).wait_begin(outer_end).at(20).idle_begin().at(45).idle_end();
  b.at(46).start(task_b).at(56).end();
  b.at(57).idle_begin().at(78).idle_end();
  b.at(80).start(task_f);
  uint64_t task_g = b.at(86).create(task, 1);
  b.at(89).end();
  b.at(90).start(task_g).at(98).end();
  b.at(99).idle_begin().at(122).idle_end();
  b.at(124).wait_end().implicit_end();
  c.at(86).implicit_begin(1, nested);
  c.at(89).wait_begin(inner_end).at(91).idle_begin().at(108).idle_end();
  c.at(109).wait_end().implicit_end();
  return file;
}
inline const char* const kNested = R"(
  fragment init#0 at 0 takes 10 critical
  fork fork r0 at 10 takes 4 critical
  fragment r0.t0.s0#0 at 14 takes 8 critical
  fork fork r0.t0/0 at 22 takes 2 critical
  fragment r0.t0/0#0 at 31 takes 5 critical
  fork fork r0.t0/0/0 at 36 takes 2 critical
  fragment r0.t0/0/0#0 at 46 takes 10 critical
  fragment r0.t0/0#1 at 38 takes 2
  fragment r0.t0.s0#1 at 24 takes 6
  join join r0.t0.s0#0 at 61 takes 0 critical
  fragment r0.t0.s1#0 at 61 takes 4 critical
  fork fork r0.t0/1 at 65 takes 3 critical
  fragment r0.t0/1#0 at 77 takes 3 critical
  fork fork r1 at 80 takes 4 critical
  fragment r1.t0.s0#0 at 84 takes 6 critical
  fork fork r1.t0/0 at 90 takes 1 critical
  fragment r1.t0/0#0 at 95 takes 10 critical
  fragment r1.t0.s0#1 at 91 takes 3
  fragment r1.t1.s0#0 at 86 takes 3
  join team r1#0 at 113 takes 0 critical
  fragment r0.t0/1#1 at 113 takes 7 critical
  fragment r0.t0.s1#1 at 68 takes 2
  fork fork r0.t0/2 at 70 takes 2
  fragment r0.t0/2#0 at 80 takes 6
  fork fork r0.t0/2/0 at 86 takes 1
  fragment r0.t0/2/0#0 at 90 takes 8
  fragment r0.t0/2#1 at 87 takes 2
  fragment r0.t0.s1#2 at 72 takes 3
  fragment r0.t1.s0#0 at 16 takes 3
  join team r0#0 at 128 takes 0 critical
  fragment init#1 at 128 takes 22 critical
  continuation: init#0 -> fork r0
  creation: fork r0 -> r0.t0.s0#0
  creation: fork r0 -> r0.t1.s0#0
  continuation: r0.t0.s0#0 -> fork r0.t0/0
  creation: fork r0.t0/0 -> r0.t0/0#0
  continuation: fork r0.t0/0 -> r0.t0.s0#1
  continuation: r0.t0/0#0 -> fork r0.t0/0/0
  creation: fork r0.t0/0/0 -> r0.t0/0/0#0
  continuation: fork r0.t0/0/0 -> r0.t0/0#1
  continuation: r0.t0.s0#1 -> join r0.t0.s0#0
  join: r0.t0/0#1 -> join r0.t0.s0#0
  join: r0.t0/0/0#0 -> join r0.t0.s0#0
  continuation: join r0.t0.s0#0 -> r0.t0.s1#0
  continuation: r0.t0.s1#0 -> fork r0.t0/1
  creation: fork r0.t0/1 -> r0.t0/1#0
  continuation: fork r0.t0/1 -> r0.t0.s1#1
  continuation: r0.t0/1#0 -> fork r1
  creation: fork r1 -> r1.t0.s0#0
  creation: fork r1 -> r1.t1.s0#0
  continuation: r1.t0.s0#0 -> fork r1.t0/0
  creation: fork r1.t0/0 -> r1.t0/0#0
  continuation: fork r1.t0/0 -> r1.t0.s0#1
  join: r1.t0/0#0 -> team r1#0
  join: r1.t0.s0#1 -> team r1#0
  join: r1.t1.s0#0 -> team r1#0
  continuation: team r1#0 -> r0.t0/1#1
  continuation: r0.t0.s1#1 -> fork r0.t0/2
  creation: fork r0.t0/2 -> r0.t0/2#0
  continuation: fork r0.t0/2 -> r0.t0.s1#2
  continuation: r0.t0/2#0 -> fork r0.t0/2/0
  creation: fork r0.t0/2/0 -> r0.t0/2/0#0
  continuation: fork r0.t0/2/0 -> r0.t0/2#1
  join: r0.t0/1#1 -> team r0#0
  join: r0.t0/2#1 -> team r0#0
  join: r0.t0/2/0#0 -> team r0#0
  join: r0.t0.s1#2 -> team r0#0
  join: r0.t1.s0#0 -> team r0#0
  continuation: team r0#0 -> init#1
)";

}  // namespace einkorn::test
