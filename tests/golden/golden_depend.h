// Golden programs with dependences, as golden_programs.h.
#pragma once
#include "grain_writer.h"

namespace einkorn::test {

// A writes x, B and C read it, D and E update it in any order (mutexinoutset), F writes it, G reads it and writes y.
inline GrainFile depend_tasks() {
  GrainFile file;
  uint32_t parallel = file.site(Construct::parallel, 0x1000), end = file.site(Construct::barrier_parallel, 0x1000);
  uint32_t task = file.site(Construct::task, 0x2000, 0, record::kSiteHasDepend);
  constexpr uint64_t x = 0x7000, y = 0x7008;
  Script& a = file.thread(Script::kInitial);
  Script& b = file.thread(Script::kWorker, 50);
  a.at(0).cpu(0, 0);
  b.at(50).cpu(3, 1);
  uint64_t region = a.new_region();
  a.at(100).region_begin(parallel, region, 2);
  a.at(110).implicit_begin(0, region);
  uint64_t task_a = a.at(120).create(task, 2);
  a.depend(x, record::kDependOut);
  uint64_t task_b = a.at(130).create(task, 2);
  a.depend(x, record::kDependIn);
  uint64_t task_c = a.at(140).create(task, 2);
  a.depend(x, record::kDependIn);
  uint64_t task_d = a.at(150).create(task, 2);
  a.depend(x, record::kDependMutexInOutSet);
  uint64_t task_e = a.at(160).create(task, 2);
  a.depend(x, record::kDependMutexInOutSet);
  uint64_t task_f = a.at(170).create(task, 2);
  a.depend(x, record::kDependOut);
  uint64_t task_g = a.at(180).create(task, 2);
  a.depend(y, record::kDependOut).depend(x, record::kDependIn);
  a.at(190).wait_begin(end);
  a.at(200).start(task_a).at(220).end();
  a.at(225).start(task_b).at(235).end();
  a.at(240).start(task_c).at(270).end();
  a.at(275).start(task_d).at(280).end();
  a.at(285).start(task_e).at(325).end();
  a.at(330).start(task_f).at(345).end();
  a.at(350).start(task_g).at(360).end();
  a.at(370).wait_end().implicit_end();
  a.at(380).region_end().at(400).thread_end();
  b.at(112).implicit_begin(1, region);
  b.at(115).wait_begin(end).at(116).idle_begin().at(365).idle_end().at(372).wait_end().implicit_end();
  return file;
}
inline const char* const kDependTasks = R"(
  fragment init#0 at 0 takes 100 critical
  fork fork r0 at 100 takes 10 critical
  fragment r0.t0.s0#0 at 110 takes 10 critical
  fork fork r0.t0/0 at 120 takes 2 critical
  fragment r0.t0/0#0 at 200 takes 20 critical
  fragment r0.t0.s0#1 at 122 takes 8
  fork fork r0.t0/1 at 130 takes 2
  fragment r0.t0/1#0 at 225 takes 10
  fragment r0.t0.s0#2 at 132 takes 8
  fork fork r0.t0/2 at 140 takes 2
  fragment r0.t0/2#0 at 240 takes 30 critical
  fragment r0.t0.s0#3 at 142 takes 8
  fork fork r0.t0/3 at 150 takes 2
  joint joint r0.t0.s0#0 at 150 takes 0 critical
  fragment r0.t0/3#0 at 275 takes 5
  fragment r0.t0.s0#4 at 152 takes 8
  fork fork r0.t0/4 at 160 takes 2
  fragment r0.t0/4#0 at 285 takes 40 critical
  fragment r0.t0.s0#5 at 162 takes 8
  fork fork r0.t0/5 at 170 takes 2
  fragment r0.t0/5#0 at 330 takes 15 critical
  fragment r0.t0.s0#6 at 172 takes 8
  fork fork r0.t0/6 at 180 takes 2
  fragment r0.t0/6#0 at 350 takes 10 critical
  fragment r0.t0.s0#7 at 182 takes 8
  fragment r0.t1.s0#0 at 112 takes 3
  join team r0#0 at 380 takes 0 critical
  fragment init#1 at 380 takes 20 critical
  continuation: init#0 -> fork r0
  creation: fork r0 -> r0.t0.s0#0
  creation: fork r0 -> r0.t1.s0#0
  continuation: r0.t0.s0#0 -> fork r0.t0/0
  continuation: fork r0.t0/0 -> r0.t0.s0#1
  continuation: r0.t0.s0#1 -> fork r0.t0/1
  continuation: fork r0.t0/1 -> r0.t0.s0#2
  continuation: r0.t0.s0#2 -> fork r0.t0/2
  continuation: fork r0.t0/2 -> r0.t0.s0#3
  continuation: r0.t0.s0#3 -> fork r0.t0/3
  continuation: fork r0.t0/3 -> r0.t0.s0#4
  continuation: r0.t0.s0#4 -> fork r0.t0/4
  continuation: fork r0.t0/4 -> r0.t0.s0#5
  continuation: r0.t0.s0#5 -> fork r0.t0/5
  continuation: fork r0.t0/5 -> r0.t0.s0#6
  continuation: r0.t0.s0#6 -> fork r0.t0/6
  continuation: fork r0.t0/6 -> r0.t0.s0#7
  creation: fork r0.t0/0 -> r0.t0/0#0
  creation: fork r0.t0/1 -> r0.t0/1#0
  creation: fork r0.t0/2 -> r0.t0/2#0
  creation: fork r0.t0/3 -> joint r0.t0.s0#0
  creation: fork r0.t0/3 -> r0.t0/3#0
  creation: fork r0.t0/4 -> r0.t0/4#0
  creation: fork r0.t0/5 -> r0.t0/5#0
  creation: fork r0.t0/6 -> r0.t0/6#0
  dependence: r0.t0/0#0 -> r0.t0/1#0
  dependence: r0.t0/0#0 -> r0.t0/2#0
  dependence: r0.t0/1#0 -> joint r0.t0.s0#0
  dependence: r0.t0/2#0 -> joint r0.t0.s0#0
  dependence: joint r0.t0.s0#0 -> r0.t0/3#0
  dependence: joint r0.t0.s0#0 -> r0.t0/4#0
  dependence: r0.t0/3#0 -> r0.t0/5#0
  dependence: r0.t0/4#0 -> r0.t0/5#0
  dependence: r0.t0/5#0 -> r0.t0/6#0
  join: r0.t0/0#0 -> team r0#0
  join: r0.t0/1#0 -> team r0#0
  join: r0.t0/2#0 -> team r0#0
  join: joint r0.t0.s0#0 -> team r0#0
  join: r0.t0/3#0 -> team r0#0
  join: r0.t0/4#0 -> team r0#0
  join: r0.t0/5#0 -> team r0#0
  join: r0.t0/6#0 -> team r0#0
  join: r0.t0.s0#7 -> team r0#0
  join: r0.t1.s0#0 -> team r0#0
  continuation: team r0#0 -> init#1
)";

// A writes x, B writes y; taskwait depend(in: x) joins A alone; C, if(0), waits for B; D reads what C wrote.
inline GrainFile depend_waits() {
  GrainFile file;
  uint32_t parallel = file.site(Construct::parallel, 0x1000), end = file.site(Construct::barrier_parallel, 0x1000);
  uint32_t task = file.site(Construct::task, 0x2000, 0, record::kSiteHasDepend);
  uint32_t at_once = file.site(Construct::task, 0x3000, 0, record::kSiteHasDepend | record::kSiteUndeferred);
  uint32_t wait = file.site(Construct::taskwait, 0, 0x1100, record::kSiteHasDepend);
  constexpr uint64_t x = 0x7000, y = 0x7008;
  Script& a = file.thread(Script::kInitial);
  Script& b = file.thread(Script::kWorker, 50);
  a.at(0).cpu(0, 0);
  b.at(50).cpu(3, 1);
  uint64_t region = a.new_region();
  a.at(100).region_begin(parallel, region, 2);
  a.at(110).implicit_begin(0, region);
  uint64_t task_a = a.at(120).create(task, 2);
  a.depend(x, record::kDependOut);
  uint64_t task_b = a.at(130).create(task, 2);
  a.depend(y, record::kDependOut);
  a.at(140).wait_begin(wait).depend(x, record::kDependIn);
  a.at(145).start(task_a).at(175).end().at(180).wait_end();
  a.at(190).wait_begin(at_once).depend(y, record::kDependOut);
  a.at(195).start(task_b).at(245).end().at(250).wait_end();
  uint64_t task_c = a.create(at_once, 0);
  a.start(task_c).at(265).end();
  uint64_t task_d = a.at(270).create(task, 2);
  a.depend(y, record::kDependIn);
  a.at(280).wait_begin(end);
  a.at(285).start(task_d).at(305).end();
  a.at(310).wait_end().implicit_end();
  a.at(320).region_end().at(400).thread_end();
  b.at(112).implicit_begin(1, region);
  b.at(115).wait_begin(end).at(116).idle_begin().at(308).idle_end().at(312).wait_end().implicit_end();
  return file;
}
inline const char* const kDependWaits = R"(
  fragment init#0 at 0 takes 100 critical
  fork fork r0 at 100 takes 10 critical
  fragment r0.t0.s0#0 at 110 takes 10 critical
  fork fork r0.t0/0 at 120 takes 2 critical
  fragment r0.t0/0#0 at 145 takes 30
  fragment r0.t0.s0#1 at 122 takes 8 critical
  fork fork r0.t0/1 at 130 takes 2 critical
  fragment r0.t0/1#0 at 195 takes 50 critical
  fragment r0.t0.s0#2 at 132 takes 8
  join join r0.t0.s0#0 at 180 takes 0
  fragment r0.t0.s1#0 at 180 takes 10
  join join r0.t0.s1#0 at 250 takes 0 critical
  fragment r0.t0.s2#0 at 250 takes 0 critical
  fork fork r0.t0/2 at 250 takes 0 critical
  fragment r0.t0/2#0 at 250 takes 15 critical
  join join r0.t0.s2#0 at 265 takes 0 critical
  fragment r0.t0.s2#1 at 265 takes 5 critical
  fork fork r0.t0/3 at 270 takes 2 critical
  fragment r0.t0/3#0 at 285 takes 20 critical
  fragment r0.t0.s2#2 at 272 takes 8
  fragment r0.t1.s0#0 at 112 takes 3
  join team r0#0 at 320 takes 0 critical
  fragment init#1 at 320 takes 80 critical
  continuation: init#0 -> fork r0
  creation: fork r0 -> r0.t0.s0#0
  creation: fork r0 -> r0.t1.s0#0
  continuation: r0.t0.s0#0 -> fork r0.t0/0
  continuation: fork r0.t0/0 -> r0.t0.s0#1
  continuation: r0.t0.s0#1 -> fork r0.t0/1
  continuation: fork r0.t0/1 -> r0.t0.s0#2
  continuation: r0.t0.s0#2 -> join r0.t0.s0#0
  continuation: join r0.t0.s0#0 -> r0.t0.s1#0
  continuation: r0.t0.s1#0 -> join r0.t0.s1#0
  continuation: join r0.t0.s1#0 -> r0.t0.s2#0
  continuation: r0.t0.s2#0 -> fork r0.t0/2
  continuation: fork r0.t0/2 -> join r0.t0.s2#0
  continuation: join r0.t0.s2#0 -> r0.t0.s2#1
  continuation: r0.t0.s2#1 -> fork r0.t0/3
  continuation: fork r0.t0/3 -> r0.t0.s2#2
  creation: fork r0.t0/0 -> r0.t0/0#0
  creation: fork r0.t0/1 -> r0.t0/1#0
  creation: fork r0.t0/2 -> r0.t0/2#0
  creation: fork r0.t0/3 -> r0.t0/3#0
  join: r0.t0/0#0 -> join r0.t0.s0#0
  join: r0.t0/1#0 -> join r0.t0.s1#0
  dependence: r0.t0/2#0 -> r0.t0/3#0
  join: r0.t0/0#0 -> team r0#0
  join: r0.t0/1#0 -> team r0#0
  join: r0.t0/2#0 -> join r0.t0.s2#0
  join: r0.t0/3#0 -> team r0#0
  join: r0.t0.s2#2 -> team r0#0
  join: r0.t1.s0#0 -> team r0#0
  continuation: team r0#0 -> init#1
)";

}  // namespace einkorn::test
