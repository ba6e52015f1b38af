// Instances that wait for those beside them, in the simulator: recorded, replayed, dealt out to other numbers of
// threads, and written as a recording again. All by hand.
#include <gtest/gtest.h>

#include "profile_support.h"
#include "simulate/builder.h"
#include "simulate/engine.h"
#include "simulate/from_profile.h"
#include "simulate_support.h"
#include "simulate_written.h"

using namespace einkorn::simulate;
namespace profile = einkorn::profile;
namespace record = einkorn::record;
using einkorn::test::GrainFile;
using einkorn::test::Replay;
using einkorn::test::Script;
using Construct = einkorn::record::Construct;

namespace {

Outcome replay(const Program& p, uint32_t workers, const Costs& costs = {}) { return Replay(workers, costs).run(p); }

// The first says early that its step is done, and is slow after the wait for the other's; the other finds that done and
// waits for a second step, which is the first one's end.
profile::Profile recorded() {
  GrainFile file;
  const uint32_t parallel = file.site(Construct::parallel, 0x1000);
  const uint32_t end = file.site(Construct::barrier_parallel, 0x1000), near = file.site(Construct::ordered, 0, 0x1000);
  Script& a = file.thread(Script::kInitial);
  Script& b = file.thread(Script::kWorker, 100);
  const uint64_t region = a.new_region();
  a.at(100).region_begin(parallel, region, 2).implicit_begin(0, region);
  a.at(120).step_done(1).at(140).wait_begin(near).at(168).wait_end().behind(1, {1});
  a.at(273).wait_begin(end).at(308).wait_end().implicit_end().region_end().at(328).thread_end();
  b.at(100).implicit_begin(1, region).at(168).behind(1, {0}).at(248).wait_begin(near).at(273).wait_end().behind(2, {0});
  b.at(308).wait_begin(end).wait_end().implicit_end();
  const einkorn::test::Loaded l = einkorn::test::load_file(file);
  EXPECT_TRUE(l.ok) << l.error.message;
  return l.profile;
}

constexpr double kPath = 100 + 68 + 105 + 35 + 20;

}  // namespace

TEST(SimulateBeside, AReplayKeepsTheOrder) {
  const profile::Profile taken = recorded();
  EXPECT_EQ(double(taken.critical_path_ns), kPath);
  std::string error;
  const Program p = from_profile(taken, {}, error);
  EXPECT_EQ(error, "");
  EXPECT_EQ(p.signals, 3u);
  EXPECT_DOUBLE_EQ(p.span(), kPath);
  const Replay two(2);
  const Outcome o = two.run(p, true);
  EXPECT_DOUBLE_EQ(o.makespan, kPath);
  EXPECT_DOUBLE_EQ(o.workers[0].blocked, 28);
  EXPECT_DOUBLE_EQ(o.workers[1].blocked, 25);
  // Not as many steps each: they stay whole.
  EXPECT_DOUBLE_EQ(replay(with_members(p, 1), 1).makespan, 100 + 145 + 183 + 20);
  EXPECT_DOUBLE_EQ(replay(with_members(p, 4), 4).makespan, kPath);

  EXPECT_EQ(double(einkorn::test::written(taken, p, two.setup, o).critical_path_ns), kPath);
}

TEST(SimulateBeside, DealtOutAnew) {
  Builder b("two beside each other");
  const uint32_t first = b.region(Builder::kInitial, 2), a = b.signal(), c = b.signal();
  b.compute(first, 10), b.post(first, a), b.compute(first, 20), b.await(first, c), b.compute(first, 5);
  b.compute(first + 1, 40), b.post(first + 1, c), b.await(first + 1, a), b.compute(first + 1, 7);
  const Program two = b.finish();
  EXPECT_EQ(check(two), "");
  EXPECT_DOUBLE_EQ(two.span(), 40 + 7);
  EXPECT_DOUBLE_EQ(replay(two, 2).makespan, 40 + 7);
  Costs costs;
  costs.line = 50;
  const Outcome o = replay(two, 2, costs);
  EXPECT_DOUBLE_EQ(o.makespan, 40 + 50 + 7);
  EXPECT_DOUBLE_EQ(o.workers[0].blocked, 90 - 30);
  // Of a row of four each gets half of one's work, and waits for two.
  const Program four = with_members(two, 4);
  EXPECT_EQ(check(four), "");
  EXPECT_DOUBLE_EQ(four.work(), two.work());
  EXPECT_DOUBLE_EQ(four.span(), 20 + 3.5);
  EXPECT_DOUBLE_EQ(replay(four, 4).makespan, 20 + 3.5);
  const Program one = with_members(two, 1);
  EXPECT_EQ(check(one), "");
  EXPECT_DOUBLE_EQ(replay(one, 1).makespan, 82);
}

// Those that cannot be dealt out anew keep their order where one thread has several of them.
TEST(SimulateBeside, SeveralOnOneThread) {
  Builder b("a row, one after the other");
  const uint32_t first = b.region(Builder::kInitial, 3), x = b.signal(), y = b.signal();
  b.compute(first, 10), b.post(first, x);
  b.await(first + 1, x), b.compute(first + 1, 5), b.post(first + 1, y);
  b.await(first + 2, y), b.compute(first + 2, 3);
  const Program three = b.finish();
  for (const uint32_t n : {1u, 2u, 3u, 5u}) {
    const Program p = with_members(three, n);
    EXPECT_EQ(check(p), "");
    EXPECT_DOUBLE_EQ(p.span(), 18) << n;
    EXPECT_DOUBLE_EQ(replay(p, n).makespan, 18) << n;
  }
}
