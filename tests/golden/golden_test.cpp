// Four small programs whose recordings were written, and whose graphs, paths and state times worked out, by hand.
// recorded_test.cpp holds the recordings of the same programs in C against the same graphs.
#include <cstdio>
#include <gtest/gtest.h>
#include "describe.h"
#include "golden_depend.h"
#include "golden_programs.h"
#include "profile/profile.h"

namespace einkorn {
namespace {

using namespace test;
using profile::State;

profile::Profile load(const GrainFile& file) {
  std::string path = testing::TempDir() + "golden_" + testing::UnitTest::GetInstance()->current_test_info()->name() + ".grain";
  file.save(path);
  profile::Profile p;
  profile::LoadError error;
  profile::LoadOptions options;
  options.symbolize = false;
  EXPECT_TRUE(profile::load(path, options, p, error)) << error.message;
  remove(path.c_str());
  EXPECT_FALSE(p.totals.truncated);
  for (const profile::Edge& e : p.graph.edges) EXPECT_LT(e.from, e.to);
  return p;
}

void expect_graph(const profile::Profile& p, const char* text) { EXPECT_EQ(describe(p), lines_of(text)); }

struct Times { int64_t work, overhead, idle, serial; };

void expect_times(const profile::Thread& t, Times expected) {
  int64_t sum = 0;
  for (int64_t time : t.times) sum += time;
  EXPECT_EQ(sum, t.in_team);
  EXPECT_EQ(t.times[size_t(State::work)], expected.work);
  EXPECT_EQ(t.times[size_t(State::overhead)], expected.overhead);
  EXPECT_EQ(t.times[size_t(State::idle)], expected.idle);
  EXPECT_EQ(t.times[size_t(State::serial)], expected.serial);
  EXPECT_EQ(sum, expected.work + expected.overhead + expected.idle + expected.serial);
}

TEST(Golden, TasksOfFigure53) {
  profile::Profile p = load(figure53_tasks());
  expect_graph(p, kFigure53Tasks);
  // 100 + 20 + foo (20 + 15 + baz 60 + 15) + 80; with creation: 10 + 5 + 10 + 5 more.
  EXPECT_EQ(p.critical_path_ns, 310);
  EXPECT_EQ(p.burdened_path_ns, 340);
  EXPECT_DOUBLE_EQ(p.parallelism, 378.0 / 310.0);
  expect_times(p.threads[0], {75, 55, 90, 180});
  expect_times(p.threads[1], {123, 51, 19, 0});
  EXPECT_EQ(p.threads[0].in_team, 400);
  EXPECT_EQ(p.threads[1].in_team, 305 - 112);

  ASSERT_EQ(p.grains.size(), 8u);
  const profile::Grain& g = p.grains[p.grains[3].parent == 1 && p.grains[3].kind == profile::GrainKind::task ? 3 : 4];
  EXPECT_EQ(g.kind, profile::GrainKind::task);
  EXPECT_EQ(g.exec, 55);
  EXPECT_EQ(g.wait, 80);
  EXPECT_EQ(g.children, 2u);
  EXPECT_EQ(g.fragments, 4u);
  EXPECT_EQ(g.thread, 1u);
  EXPECT_EQ(g.creator, 0u);
  EXPECT_EQ(g.create_begin, 130);
  EXPECT_EQ(g.create_cost, 5);
  EXPECT_EQ(g.begin, 145);
  EXPECT_EQ(g.end, 295);
  EXPECT_EQ(p.totals.tasks, 3u);
  EXPECT_EQ(p.chained_tasks, 3u);
  EXPECT_EQ(p.longest_chain, 2u);  // foo, bar or baz
}

TEST(Golden, LoopOfFigure53) {
  profile::Profile p = load(figure53_loop());
  expect_graph(p, kFigure53Loop);
  // The longest chunk, not the chain of a thread's chunks: 100 + 3 + 70 + 1 + 20. Burdened: the fork 10, the book-keeping
  // before the chunk 3 and that of the loop's end 3.
  EXPECT_EQ(p.critical_path_ns, 194);
  EXPECT_EQ(p.burdened_path_ns, 210);
  EXPECT_DOUBLE_EQ(p.parallelism, 379.0 / 194.0);
  expect_times(p.threads[0], {125, 45, 10, 120});
  expect_times(p.threads[1], {134, 16, 0, 0});
  ASSERT_EQ(p.loops.size(), 1u);
  EXPECT_EQ(p.loops[0].iterations, 20u);
  EXPECT_EQ(p.loops[0].chunk, 4u);
  EXPECT_EQ(p.totals.chunks, 5u);
  EXPECT_EQ(p.totals.shares, 4u);
}

TEST(Golden, FibWithAStolenTask) {
  profile::Profile p = load(fib4());
  expect_graph(p, kFib4);
  // 10 + 10 + fib(3) (5 + fib(2) (6 + 4 + 6 + 3) + 6) + 3 + 15.
  EXPECT_EQ(p.critical_path_ns, 68);
  EXPECT_EQ(p.burdened_path_ns, 84);
  EXPECT_DOUBLE_EQ(p.parallelism, 125.0 / 68.0);
  expect_times(p.threads[0], {42, 35, 38, 25});
  expect_times(p.threads[1], {58, 26, 12, 0});
  EXPECT_EQ(p.totals.tasks, 8u);
}

TEST(Golden, NestedRegionTaskgroupAndRogueTasks) {
  profile::Profile p = load(nested());
  expect_graph(p, kNested);
  // 10 + 8 + A 5 + B 10 + 4 + C (3 + 6 + D 10 + 7) + 22; creation on the way: 4 + 2 + 2 + 3 + 4 + 1.
  EXPECT_EQ(p.critical_path_ns, 85);
  EXPECT_EQ(p.burdened_path_ns, 101);
  EXPECT_DOUBLE_EQ(p.parallelism, 123.0 / 85.0);
  expect_times(p.threads[0], {59, 32, 27, 32});
  expect_times(p.threads[1], {29, 10, 69, 0});
  expect_times(p.threads[2], {3, 3, 17, 0});
  ASSERT_EQ(p.regions.size(), 2u);
  EXPECT_EQ(p.regions[1].level, 2u);
  EXPECT_EQ(p.grains[p.regions[1].parent_grain].kind, profile::GrainKind::task);
}

TEST(Golden, TasksThatDepend) {
  profile::Profile p = load(depend_tasks());
  expect_graph(p, kDependTasks);
  // 100 + 10 + A 20 + C 30 + E 40 + F 15 + G 10 + 20; creation on the way: 10 + 2.
  EXPECT_EQ(p.critical_path_ns, 245);
  EXPECT_EQ(p.burdened_path_ns, 257);
  EXPECT_DOUBLE_EQ(p.parallelism, 319.0 / 245.0);
  EXPECT_EQ(p.totals.tasks, 7u);
  EXPECT_EQ(p.totals.dependences, 8u);
  EXPECT_EQ(p.chained_tasks, 7u);
  EXPECT_EQ(p.longest_chain, 5u);  // A, B or C, D or E, F, G
}

TEST(Golden, WaitsForSomeTasks) {
  profile::Profile p = load(depend_waits());
  expect_graph(p, kDependWaits);
  // 100 + 10 + 8 + B 50 + C 15 + D 20 + 80; creation on the way: 10 + 2 + 2.
  EXPECT_EQ(p.critical_path_ns, 283);
  EXPECT_EQ(p.burdened_path_ns, 297);
  EXPECT_EQ(p.chained_tasks, 3u);  // C's creator ran it at once
  EXPECT_DOUBLE_EQ(p.parallelism, 347.0 / 283.0);
  EXPECT_EQ(p.totals.dependences, 5u);
  expect_times(p.threads[0], {164, 56, 0, 180});
}

}  // namespace
}  // namespace einkorn
