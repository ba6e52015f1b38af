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
  file.keep_line(task, "/src/a.c", 12, "work", std::string("inner a.c:3\0work a.c:12\0", 24));
  file.keep_line(wait, "/src/a.c", 14, "work");
  file.keep_text("/src/a.c", 11, 3, "// one\n#pragma omp task\n\n");
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

// What version 2 added: shared stamps, aggregates, subtrees, time that was not to be recorded.
inline GrainFile limited_recording(bool compress = false) {
  GrainFile file;
  file.compress = compress;
  file.end_tick = 2000;
  uint32_t parallel = file.site(Construct::parallel, 0x1000), end = file.site(Construct::barrier_parallel, 0x1000);
  uint32_t task = file.site(Construct::task, 0x2000), wait = file.site(Construct::taskwait, 0, 0x2100);
  uint32_t loop = file.site(Construct::loop, 0, 0x1200);
  Script& a = file.thread(Script::kInitial, 10);
  Script& b = file.thread(Script::kWorker, 50);
  uint64_t region = a.new_region();
  a.at(100).region_begin(parallel, region, 2).implicit_begin(0, region);
  b.at(110).implicit_begin(1, region);
  uint64_t first = a.at(120).create(task, 5);
  a.at(150).put(Kind::task_create_brief, task).at(170).put(Kind::task_create_brief, task).cut();
  a.at(200).wait_begin(wait).at(206).put(Kind::task_next, 3).at(230).end().at(240).put(Kind::task_run, 2).put(Kind::task_next, 1);
  a.at(260).wait_begin(wait).at(400).put(Kind::aggregate, 9, {140, 60, 20, 30, 10});
  a.put(Kind::subtree, task, {first, 9, 9, 60, 2, 20, 7, 2, 0, 0, 0, 0, 0, 0}).put(Kind::wait_done).at(410).end();
  a.at(415).put(Kind::wait_done).at(420).loop_begin(loop, 40, 10).at(422).chunk(0).at(430).put(Kind::chunk_next, 10);
  a.at(450).put(Kind::chunk_next, 30).at(470).chunk_end().at(471).loop_end().cut();
  b.at(300).put(Kind::loss, 2, {150, 4, 4, 1, 0}).at(310).wait_begin(wait).at(320).put(Kind::aggregate, 1, {10, 10, 0, 0, 0});
  b.put(Kind::subtree, task, {0, 0, 1, 10, 10, 10, 1, 0, 0, 0, 0, 0, 0, 0}).at(350).put(Kind::loss, 3, {20, 0, 0, 0, 1});
  b.at(500).wait_begin(end).at(520).wait_end().implicit_end().cut().at(600).thread_end();
  a.at(500).wait_begin(end).at(520).wait_end().implicit_end().region_end().at(900).put(Kind::loss, 4, {100, 2, 2, 0, 0}).thread_end();
  return file;
}

// Memory accesses of two tasks and of what their creator did between: runs, a sketch, instructions.
inline GrainFile accesses_recording(bool compress = false) {
  GrainFile file;
  file.compress = compress;
  file.end_tick = 1000;
  file.meta = R"({"program":"golden","argv":["golden"],"runtime":"script","cpus":2,"accesses":{"cache_bytes":32768}})";
  uint32_t parallel = file.site(Construct::parallel, 0x1000), end = file.site(Construct::barrier_parallel, 0x1000);
  uint32_t task = file.site(Construct::task, 0x2000);
  Script& a = file.thread(Script::kInitial);
  uint64_t region = a.new_region();
  a.at(100).region_begin(parallel, region, 1).at(110).implicit_begin(0, region);
  uint64_t first = a.at(120).create(task, 5), second = a.at(140).create(task, 5);
  uint64_t child = record::make_id(0, 3);
  a.at(150).wait_begin(end).at(160).start(first).at(200).create(task, 10);
  a.at(300).end().at(310).start(second).at(400).end().at(410).start(child).at(420).end().at(430).wait_end().implicit_end();
  a.at(440).region_end().at(900).thread_end();
  std::string payload = Stretch(0, 7, 3).runs({{10, 2}}).instructions({}).bytes();
  payload += Stretch(110, 5, 1, 2, 1).runs({{100, 1}}).instructions({}).bytes();
  // The first task, before and after it creates its child: lines 1000 to 1009, then 1005 to 1014 and 2000.
  payload += Stretch(50, 300, 0).runs({{1000, 10}}).instructions({{0x5000, 1, 300, 2400, 5120, 290, 280, 1, 0, 0}}).bytes();
  payload += Stretch(40, 20, 400).runs({{1005, 10}, {2000, 1}}).instructions({{0x5000, 1, 20, 160, -8, 19, 3, 0, 270, 540}, {8, 2, 400, 3200, 8, 399, 50, 0, 40, 640}}).bytes();
  payload += Stretch(110, 20000, 0).sketch(5000, 20000).instructions({}).bytes();
  file.accesses = {{0, payload}};
  return file;
}

}  // namespace einkorn::test
