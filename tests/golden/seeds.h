// Recordings with everything in them, small: for damage and fuzzing.
#pragma once
#include "grain_writer.h"

namespace einkorn::test {

// Tasks (deferred, stolen, undeferred, inlined in a yield, untied and moved), waits, groups, taskloop, locks, a nested
// region, loops with and without barrier, CPU readings, in several blocks.
inline GrainFile rich_recording(bool compress = false, uint64_t end_tick = 2000) {
  GrainFile file;
  file.compress = compress;
  file.end_tick = end_tick;
  uint32_t parallel = file.site(Construct::parallel, 0x1000), end = file.site(Construct::barrier_parallel, 0x1000);
  uint32_t task = file.site(Construct::task, 0x2000), wait = file.site(Construct::taskwait, 0, 0x2100);
  uint32_t group = file.site(Construct::taskgroup, 0, 0x1100), loop = file.site(Construct::loop, 0, 0x1200);
  uint32_t barrier = file.site(Construct::barrier, 0, 0x1300), critical = file.site(Construct::critical, 0, 0x1400);
  uint32_t taskloop = file.site(Construct::taskloop, 0x3000), yield = file.site(Construct::taskyield, 0, 0x2200);
  uint32_t undeferred = file.site(Construct::task, 0x4000, 0, record::kSiteUndeferred);
  Script& a = file.thread(Script::kInitial, 10);
  Script& b = file.thread(Script::kWorker, 50);
  Script& c = file.thread(Script::kWorker, 60);
  uint64_t region = a.new_region(), nested = a.new_region();
  a.at(20).cpu(1, 0).cpu_time(5000, 0);
  a.at(100).region_begin(parallel, region, 2).at(105).implicit_begin(0, region);
  b.at(106).cpu(2, 1).at(107).implicit_begin(1, region);
  uint64_t first = a.at(110).create(task, 3), second = a.at(120).create(task, 3);
  uint64_t now = a.at(130).create(undeferred, 1);
  a.at(131).start(now).at(140).end();
  a.at(141).yield(yield).at(143).start(second).at(150).end().at(152).yield_end();
  a.at(155).wait_begin(wait).at(157).idle_begin().cut();
  b.at(110).wait_begin(barrier).at(112).start(first);
  uint64_t grandchild = b.at(115).create(task, 2);
  b.at(120).mutex_wait(critical, 0x7000).at(130).mutex_acquired(critical, 0x7000).at(135).mutex_released(0x7000);
  b.at(140).wait_begin(wait).at(141).start(grandchild).at(150).suspend();
  a.at(155).idle_end().at(157).start(grandchild).at(160).end();
  b.at(162).wait_end().at(163).end().at(164).idle_begin().cut();
  a.at(165).wait_end().at(166).cpu_time(5120, 10, 1);
  a.at(168).group_begin(group).at(170).taskloop_begin(taskloop, 10, 2);
  uint64_t piece1 = a.at(171).create(taskloop, 1);
  a.range(0, 5);
  uint64_t piece2 = a.at(173).create(taskloop, 1);
  a.range(5, 5).at(175).taskloop_end().at(176).wait_begin(group).at(177).start(piece1).at(180).end();
  b.at(175).idle_end().at(176).start(piece2).at(190).end().at(191).idle_begin();
  a.at(192).wait_end().at(195).wait_begin(barrier).at(200).wait_end();
  b.at(199).idle_end().at(200).wait_end().cut();
  a.at(205).loop_begin(loop, 12, 4).at(207).chunk(0).at(215).chunk_end().at(217).chunk(8, 2);
  a.at(220).create(task, 1);
  a.at(225).chunk_end().at(226).loop_end().at(230).recorder(1);
  b.at(206).loop_begin(loop, 12, 4).at(208).chunk(4).at(216).chunk_end().at(218).chunk(10, 2).at(224).chunk_end().at(226).loop_end();
  a.at(232).region_begin(parallel, nested, 2, 2).at(235).implicit_begin(0, nested).at(240).wait_begin(end).at(245).wait_end();
  a.implicit_end().at(248).region_end().cut();
  c.at(236).implicit_begin(1, nested).at(240).wait_begin(end).at(244).wait_end().implicit_end();
  a.at(250).wait_begin(end).at(251).start(record::make_id(0, 6)).at(260).end().at(262).idle_begin().at(270).idle_end();
  a.at(272).wait_end().implicit_end().at(274).region_end();
  b.at(250).wait_begin(end).at(255).idle_begin().at(270).idle_end().at(271).cpu_time(300, 40).at(272).wait_end().implicit_end();
  a.at(300).thread_end();
  return file;
}

// Dependences of every kind: of tasks, waits, undeferred tasks, over blocks, and sets that need joints.
inline GrainFile depend_recording(bool compress = false) {
  GrainFile file;
  file.compress = compress;
  constexpr uint16_t has = record::kSiteHasDepend;
  uint32_t parallel = file.site(Construct::parallel, 0x1000), end = file.site(Construct::barrier_parallel, 0x1000);
  uint32_t task = file.site(Construct::task, 0x2000, 0, has), barrier = file.site(Construct::barrier, 0, 0x1300);
  uint32_t at_once = file.site(Construct::task, 0x3000, 0, has | record::kSiteUndeferred);
  uint32_t wait = file.site(Construct::taskwait, 0, 0x1100, has), all = file.site(Construct::taskwait, 0, 0x1200);
  uint32_t nowait = file.site(Construct::taskwait, 0, 0x1400, has | record::kSiteNowait);
  constexpr uint64_t x = 0x7000, y = 0x7008;
  constexpr uint64_t kModes[] = {3, 1, 1, 8, 8, 4, 4, 0x80, 1, 3};
  Script& a = file.thread(Script::kInitial, 10);
  Script& b = file.thread(Script::kWorker, 50);
  uint64_t region = a.new_region(), now = 110, tasks[10];
  auto step = [&](uint64_t ticks) { return now += ticks; };
  a.at(100).region_begin(parallel, region, 2).at(105).implicit_begin(0, region);
  b.at(107).implicit_begin(1, region).at(108).wait_begin(barrier);
  for (int i = 0; i < 10; ++i) {
    tasks[i] = a.at(step(5)).create(task, 1);
    a.depend(x, kModes[i], 8);
    if (i % 3 == 0) a.cut();
    if (i % 2) a.recorder(1).depend(y, 1);
  }
  uint64_t inner = b.at(step(5)).start(tasks[0]).at(step(5)).create(task, 1);
  b.depend(x, 3).at(step(5)).wait_begin(wait).depend(x, 1).start(inner).at(step(5)).end().wait_end().at(step(5)).end();
  a.at(step(5)).wait_begin(wait).depend(x, 1).depend(y, 3).at(step(5));
  for (int i = 1; i < 9; ++i) a.at(step(3)).start(tasks[i]).at(step(5)).end();
  a.at(step(5)).wait_end().at(step(5)).wait_begin(nowait).depend(x, 4).depend(0, 0x80).wait_end();
  a.at(step(5)).wait_begin(at_once).depend(y, 1).at(step(5)).wait_end();
  uint64_t undeferred = a.create(at_once, 0), inlined;
  a.start(undeferred).at(step(5)).end().at(step(1));
  inlined = a.create(at_once, 0);
  a.start(inlined).at(step(5)).end().depend(y, 3).cut();
  a.at(step(5)).wait_begin(all).at(step(5)).wait_end();
  a.at(step(5)).create(task, 1);
  a.put(Kind::depend, 2, {x, 0, 3, y, 0, 8}).at(step(5)).wait_begin(barrier).at(step(5)).wait_end();
  b.at(now).wait_end().at(step(5)).wait_begin(end);
  a.at(step(5)).wait_begin(end).at(step(5)).wait_end().implicit_end().at(step(5)).region_end().at(step(5)).thread_end();
  b.at(now).wait_end().implicit_end();
  return file;
}

// Streams with losses, lost blocks, and tasks whose creation is lost.
inline GrainFile lossy_recording(bool compress = false) {
  GrainFile file;
  file.compress = compress;
  file.complete = false;
  uint32_t parallel = file.site(Construct::parallel, 0x1000), end = file.site(Construct::barrier_parallel, 0x1000);
  uint32_t task = file.site(Construct::task, 0x2000), wait = file.site(Construct::taskwait, 0, 0x2100);
  uint32_t barrier = file.site(Construct::barrier, 0, 0x1300), loop = file.site(Construct::loop, 0, 0x1200);
  Script& a = file.thread(Script::kInitial);
  Script& b = file.thread(Script::kWorker, 50);
  uint64_t region = a.new_region();
  a.at(100).region_begin(parallel, region, 2).at(105).implicit_begin(0, region);
  b.at(107).implicit_begin(1, region).at(110).wait_begin(barrier);
  uint64_t kept = a.at(110).create(task, 3);
  a.cut();
  uint64_t lost = a.at(120).create(task, 3);
  a.lose();
  a.at(130).wait_begin(wait).at(140).wait_end();
  b.at(112).start(kept).at(118).end().at(122).start(lost).at(150).end();
  b.at(300).loss(100, 3, 4, 5, 1);  // closes the wait
  b.at(310).start(record::make_id(0, 77)).at(330).end();
  b.at(340).loop_begin(loop, 100, 10).at(345).chunk(20).at(350).chunk_end();
  b.at(360).loop_end().at(370).wait_begin(end);
  a.at(160).create(task, 2);
  a.at(400).implicit_end().at(410).region_end().at(420);
  a.at(430).region_begin(parallel, a.new_region(), 1).at(440).implicit_begin(0, record::make_id(0, 2));
  return file;
}

}  // namespace einkorn::test
