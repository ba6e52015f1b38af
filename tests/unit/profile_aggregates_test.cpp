// Tasks that were not recorded one by one, shared stamps, and time in which nothing was to be recorded.
#include "profile_support.h"

namespace einkorn {
namespace {

using namespace test;
using profile::State;

TEST(Aggregates, TimeAndCounts) {
  GrainFile file;
  file.end_tick = 2000;
  const uint32_t parallel = file.site(Construct::parallel, 0x1000), task = file.site(Construct::task, 0x2000);
  const uint32_t wait = file.site(Construct::taskwait, 0, 0x2100), end = file.site(Construct::barrier_parallel, 0x1000);
  Script& a = file.thread(Script::kInitial);
  const uint64_t region = a.new_region();
  a.at(100).region_begin(parallel, region, 1).at(110).implicit_begin(0, region);
  const uint64_t top = a.at(120).create(task, 5);
  a.at(130).wait_begin(wait).at(140).start(top).at(200).wait_begin(wait);
  // In the wait from 200 on, up to 700: 300 of work, 50 of overhead, 40 idle, 30 blocked, and 80 in the wait's own
  // state.
  a.at(700).put(Kind::aggregate, 7, {500, 300, 50, 40, 30});
  std::vector<uint64_t> counts = {top, 8, 7, 300, 10, 90, 0, 0, 0, 0, 0, 0, 0, 0};
  counts[6] = 5 | uint64_t(2) << 32;  // buckets 0 and 1
  a.put(Kind::subtree, task, counts);
  counts = {0, 0, 1, 60, 60, 60, 1, 0, 0, 0, 0, 0, 0, 0};
  a.put(Kind::subtree, task, counts).put(Kind::subtree, task, counts);
  a.at(720).wait_end().at(750).end().at(760).wait_end().at(770).wait_begin(end).at(780).wait_end().implicit_end();
  a.at(790).region_end().at(1000).thread_end();
  Loaded l = load_file(file);
  ASSERT_TRUE(l.ok);
  const profile::Thread& t = l.profile.threads[0];
  const int64_t work = (120 - 110) + (130 - 125) + (200 - 140) + 300 + (750 - 720) + (770 - 760);
  EXPECT_EQ(time_in(t, State::work), work);
  EXPECT_EQ(time_in(t, State::idle), 40);
  EXPECT_EQ(time_in(t, State::blocked), 30);
  ASSERT_EQ(l.profile.aggregates.size(), 2u);
  const profile::Aggregate &rest = l.profile.aggregates[0], &below = l.profile.aggregates[1];
  EXPECT_EQ(l.profile.grains[below.grain].kind, profile::GrainKind::task);
  EXPECT_EQ(below.created, 8u);
  EXPECT_EQ(below.executed, 7u);
  EXPECT_EQ(below.exec, 300);
  EXPECT_EQ(below.least, 10);
  EXPECT_EQ(below.most, 90);
  EXPECT_EQ(below.histogram[0], 5u);
  EXPECT_EQ(below.histogram[1], 2u);
  EXPECT_EQ(l.profile.aggregate_limits[1], 256);
  // Of no task: the implicit task of the thread that told.
  EXPECT_EQ(l.profile.grains[rest.grain].kind, profile::GrainKind::implicit);
  EXPECT_EQ(rest.executed, 2u);
  EXPECT_EQ(rest.exec, 120);
  EXPECT_EQ(l.profile.totals.aggregated_tasks, 8u);
  EXPECT_EQ(l.profile.totals.tasks, 9u);
}

// Task a is timed, so that what lies between two tasks is known to be 6; then tasks without stamps of their own.
TEST(SharedStamps, TakeTheTypicalOverhead) {
  GrainFile file;
  file.end_tick = 2000;
  const uint32_t parallel = file.site(Construct::parallel, 0x1000), task = file.site(Construct::task, 0x2000);
  const uint32_t wait = file.site(Construct::taskwait, 0, 0x2100), end = file.site(Construct::barrier_parallel, 0x1000);
  Script& a = file.thread(Script::kInitial);
  const uint64_t region = a.new_region();
  a.at(100).region_begin(parallel, region, 1).at(110).implicit_begin(0, region);
  a.at(120).create(task, 10);
  a.at(150).put(Kind::task_create_brief, task);
  a.at(170).put(Kind::task_create_brief, task);
  a.at(190).put(Kind::task_create_brief, task);
  a.at(200).wait_begin(wait);
  a.at(206).put(Kind::task_next, 4).at(230).end();  // 6 after the begin of the wait
  a.at(236).put(Kind::task_next, 3).at(250).end();  // 6 after a task
  a.at(300).put(Kind::task_run, 2);
  a.put(Kind::task_next, 1).at(400).end();
  a.at(404).put(Kind::wait_done);  // its own stamp
  a.at(450).wait_begin(wait).put(Kind::wait_done).at(480).wait_begin(end).at(490).wait_end().implicit_end();
  a.at(500).region_end().at(1000).thread_end();
  Loaded l = load_file(file);
  ASSERT_TRUE(l.ok);
  std::map<int64_t, int64_t> by_begin;
  std::vector<int64_t> costs;
  for (const profile::Grain& g : l.profile.grains)
    if (g.kind == profile::GrainKind::task) by_begin[g.begin] = g.exec, costs.push_back(g.create_cost);
  EXPECT_EQ(by_begin, (std::map<int64_t, int64_t>{{206, 24}, {236, 14}, {256, 44}, {306, 94}}));
  EXPECT_EQ(costs, (std::vector<int64_t>{10, 10, 10, 10}));
  // The wait that ended without a stamp: 4 more of overhead.
  const profile::Thread& t = l.profile.threads[0];
  EXPECT_EQ(time_in(t, State::work), 24 + 14 + 44 + 94 + (120 - 110) + (140 - 130) + (160 - 150) + (180 - 170) +
                                         (200 - 190) + (450 - 404) + (480 - 454));
  EXPECT_EQ(l.details.unmatched, 0u);
}

// Of tasks that were run at once the creation takes no time that anybody knows, and tells nothing about that of others.
TEST(SharedStamps, UndeferredTasksAreCreatedInNoTime) {
  GrainFile file;
  file.end_tick = 2000;
  const uint32_t parallel = file.site(Construct::parallel, 0x1000), task = file.site(Construct::task, 0x2000);
  const uint32_t at_once = file.site(Construct::task, 0x3000, 0x3100, record::kSiteUndeferred);
  const uint32_t wait = file.site(Construct::taskwait, 0, 0x2100), end = file.site(Construct::barrier_parallel, 0x1000);
  Script& a = file.thread(Script::kInitial);
  const uint64_t region = a.new_region();
  a.at(100).region_begin(parallel, region, 1).at(110).implicit_begin(0, region);
  a.at(120).put(Kind::task_create_brief, at_once).start(1).at(125).end();  // before any creation was timed
  a.at(130).create(task, 10);
  a.at(150).create(at_once, 0);
  a.start(3).at(160).end();
  a.at(170).put(Kind::task_create_brief, at_once).start(4).at(180).end();
  a.at(200).put(Kind::task_create_brief, task);
  a.at(210)
      .wait_begin(wait)
      .start(2)
      .at(220)
      .end()
      .start(5)
      .at(240)
      .end()
      .wait_end()
      .wait_begin(end)
      .at(250)
      .wait_end()
      .implicit_end();
  a.at(260).region_end().at(1000).thread_end();
  Loaded l = load_file(file);
  ASSERT_TRUE(l.ok);
  std::vector<int64_t> costs;
  for (const profile::Grain& g : l.profile.grains)
    if (g.kind == profile::GrainKind::task) costs.push_back(g.create_cost);
  EXPECT_EQ(costs, (std::vector<int64_t>{-1, 10, -1, -1, 10}));
  EXPECT_EQ(time_in(l.profile.threads[0], State::overhead), (110 - 100) + 10 + 10 + (250 - 240) + (260 - 250));
}

TEST(SharedStamps, ChunksThatFollowEachOther) {
  GrainFile file;
  file.end_tick = 2000;
  const uint32_t parallel = file.site(Construct::parallel, 0x1000), loop = file.site(Construct::loop, 0, 0x1200);
  const uint32_t end = file.site(Construct::barrier_parallel, 0x1000);
  Script& a = file.thread(Script::kInitial);
  const uint64_t region = a.new_region();
  a.at(100).region_begin(parallel, region, 1).at(110).implicit_begin(0, region).at(120).loop_begin(loop, 40, 10);
  a.at(130)
      .chunk(0)
      .at(150)
      .chunk_end()
      .at(155)
      .chunk(10)
      .at(180)
      .put(Kind::chunk_next, 20)
      .at(200)
      .put(Kind::chunk_next, 30);
  a.at(230)
      .chunk_end()
      .at(240)
      .loop_end()
      .wait_begin(end)
      .at(250)
      .wait_end()
      .implicit_end()
      .at(260)
      .region_end()
      .thread_end();
  Loaded l = load_file(file);
  ASSERT_TRUE(l.ok);
  std::map<int64_t, int64_t> exec;
  for (const profile::Grain& g : l.profile.grains)
    if (g.kind == profile::GrainKind::chunk) exec[g.first_iteration] = g.exec;
  EXPECT_EQ(exec, (std::map<int64_t, int64_t>{{0, 20}, {10, 25}, {20, 15}, {30, 25}}));
}

// Nobody's time: not in the states, not in the wall time.
TEST(Outside, IsNobodysTime) {
  for (uint32_t why : {2u, 3u}) {
    GrainFile file;
    file.end_tick = 1000;
    const uint32_t parallel = file.site(Construct::parallel, 0x1000), task = file.site(Construct::task, 0x2000);
    const uint32_t end = file.site(Construct::barrier_parallel, 0x1000);
    Script& a = file.thread(Script::kInitial);
    Script& b = file.thread(Script::kWorker, 100);
    const uint64_t region = a.new_region();
    a.at(100).region_begin(parallel, region, 2).implicit_begin(0, region);
    b.at(110).implicit_begin(1, region);
    a.at(700).put(Kind::loss, why, {500, 3, 2, 0, 0}).at(750).create(task, 1);
    b.at(600).put(Kind::loss, why, {400, 0, 1, 0, 0});
    a.at(800).wait_begin(end).at(900).wait_end().implicit_end().region_end().at(1000).thread_end();
    b.at(800).wait_begin(end).at(900).wait_end().implicit_end().thread_end();
    Loaded l = load_file(file);
    ASSERT_TRUE(l.ok);
    EXPECT_EQ(l.profile.wall_ns, 500);
    EXPECT_EQ(l.profile.threads[0].in_team, 500);
    EXPECT_EQ(l.profile.threads[1].in_team, 790 - 400);
    EXPECT_EQ(time_in(l.profile.threads[0], State::unattributed), 0);
    EXPECT_EQ(l.profile.totals.outside_tasks, 3u);
    EXPECT_EQ(l.profile.totals.lost_tasks, 0u);
  }
}

// Created by one thread where it is recorded, executed by another where that is not: told once.
TEST(Outside, ATaskIsAGrainOrCounted) {
  GrainFile file;
  file.end_tick = 1000;
  file.totals = R"({"tasks":3,"outside_tasks":2})";
  const uint32_t parallel = file.site(Construct::parallel, 0x1000), task = file.site(Construct::task, 0x2000);
  const uint32_t end = file.site(Construct::barrier_parallel, 0x1000);
  Script& a = file.thread(Script::kInitial);
  Script& b = file.thread(Script::kWorker, 100);
  const uint64_t region = a.new_region();
  a.at(100).region_begin(parallel, region, 2).implicit_begin(0, region);
  b.at(110).implicit_begin(1, region);
  a.at(200).create(task, 1);
  const uint64_t second = a.at(300).create(task, 1);
  b.at(600).put(Kind::loss, 3, {400, 1, 2, 0, 0});  // its own, and the first of these
  a.at(800).wait_begin(end).at(810).start(second).at(850).end().at(900).wait_end();
  a.implicit_end().region_end().at(1000).thread_end();
  b.at(800).wait_begin(end).at(900).wait_end().implicit_end().thread_end();
  Loaded l = load_file(file);
  ASSERT_TRUE(l.ok);
  EXPECT_EQ(l.profile.totals.tasks, 3u);
  EXPECT_EQ(l.profile.totals.outside_tasks, 1u);
}

}  // namespace
}  // namespace einkorn
