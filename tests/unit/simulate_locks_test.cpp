// What threads share by writing to it, in the simulator, compared with results worked out by hand: locks, their
// hand-overs, the queues of places; and from a recording to a team of another size.
#include <gtest/gtest.h>

#include <algorithm>

#include "profile_support.h"
#include "schedule/text.h"
#include "simulate/builder.h"
#include "simulate/costs.h"
#include "simulate/engine.h"
#include "simulate/from_profile.h"
#include "simulate/synthetic.h"

using namespace einkorn::simulate;
namespace machine = einkorn::machine;
namespace profile = einkorn::profile;
namespace schedule = einkorn::schedule;
using einkorn::test::GrainFile;
using einkorn::test::Script;
using Construct = einkorn::record::Construct;

namespace {

machine::Machine grid(int nodes, int cores) {
  machine::Machine m;
  for (int a = 0; a < nodes; ++a) {
    m.nodes.push_back({a, a, 0});
    for (int c = 0; c < cores; ++c) m.pus.push_back({a * cores + c, a * cores + c, a, a, a});
    for (int b = 0; b < nodes; ++b) m.distance.push_back(a == b ? 10 : 30);
  }
  m.cores = nodes * cores;
  m.llcs = m.sockets = nodes;
  return m;
}

struct Rig {
  machine::Machine m;
  Setup setup;
  Rig(const char* text, int nodes, int cores) : m(grid(nodes, cores)) {
    std::string why;
    EXPECT_TRUE(schedule::parse_schedule(text, &setup.schedule, &why)) << why;
    for (int i = 0; i < nodes * cores; ++i) setup.pus.push_back(i);
    setup.machine = &m;
  }
  double operator()(const Program& p) {
    EXPECT_EQ(check(p), "");
    Outcome o = simulate(p, setup);
    EXPECT_FALSE(o.stuck);
    return o.makespan;
  }
};

// Each of so many members: `before` ns, `held` under one lock, `after`; `times` of that.
Program members_that_lock(uint32_t members, double before, double held, double after, int times = 1) {
  Builder b("locks");
  const uint32_t first = b.region(Builder::kInitial, members), lock = b.lock();
  for (uint32_t m = 0; m < members; ++m)
    for (int i = 0; i < times; ++i) {
      b.compute(first + m, before + held + after);
      b.lock_point(before, lock, true);
      b.lock_point(before + held, lock, false);
    }
  return b.finish();
}

}  // namespace

TEST(SimulateLocks, OneAfterTheOther) {
  const Program p = members_that_lock(2, 10, 50, 40);
  EXPECT_DOUBLE_EQ(p.longest_hold(), 100);
  EXPECT_DOUBLE_EQ(Rig("ws", 1, 2)(p), 10 + 50 + 50 + 40);
  EXPECT_DOUBLE_EQ(Rig("ws", 1, 8)(members_that_lock(8, 10, 50, 40)), 10 + 8 * 50 + 40);
}

TEST(SimulateLocks, AHandOverTakesItsLines) {
  Rig near("ws", 1, 2), far("ws", 2, 1);
  near.setup.costs.line = far.setup.costs.line = 10;
  // The holder gets the line back to release the lock; then it comes to who looks, twice, and what the lock protects.
  EXPECT_DOUBLE_EQ(near(members_that_lock(2, 10, 50, 40)), 10 + 50 + 10 + 3 * 10 + 50 + 40);
  EXPECT_DOUBLE_EQ(far(members_that_lock(2, 10, 50, 40)), 10 + 50 + 30 + 3 * 30 + 50 + 40);
}

// A lock that another thread had before, and that is free: its line, and what of the next one the section does not
// hide.
TEST(SimulateLocks, WhatASectionHides) {
  for (const double held : {4.0, 50.0}) {
    Builder b("free");
    const uint32_t first = b.region(Builder::kInitial, 2), lock = b.lock();
    b.compute(first, 50);
    b.lock_point(0, lock, true), b.lock_point(50, lock, false);
    b.compute(first + 1, 100 + held);
    b.lock_point(100, lock, true), b.lock_point(100 + held, lock, false);
    Rig run("ws", 1, 2);
    run.setup.costs.line = 10;
    EXPECT_DOUBLE_EQ(run(b.finish()), 100 + 10 + std::max(0.0, 10 - held) + held) << held;
  }
}

// Each of many looks more seldom (schedule/lock_looks.h): the holder has the line as if there were one.
TEST(SimulateLocks, ManyWhoWaitAreNoBurden) {
  Rig run("ws", 1, 8);
  run.setup.costs.line = 10, run.setup.costs.pause = 1;
  const double two = run(members_that_lock(2, 0, 50, 0, 20)) / 40,
               eight = run(members_that_lock(8, 0, 50, 0, 20)) / 160;
  EXPECT_LT(eight, two + 20);
  EXPECT_GE(two, 50);
  EXPECT_GE(eight, 50);
}

TEST(SimulateLocks, WhoReleasedIsBeforeWhoLooksLater) {
  // The second comes at 1, looks at 1 + 40, + 80, ...: after 1 + 40 (1 + 2 + 4) = 281, when the first is through all
  // its sections of 100.
  Builder b("barging");
  const uint32_t first = b.region(Builder::kInitial, 2), lock = b.lock();
  for (int i = 0; i < 2; ++i) {
    b.compute(first, 100);
    b.lock_point(0, lock, true), b.lock_point(100, lock, false);
  }
  b.compute(first + 1, 101);
  b.lock_point(1, lock, true), b.lock_point(101, lock, false);
  Rig run("ws", 1, 2);
  run.setup.costs.pause = 40;
  EXPECT_DOUBLE_EQ(run(b.finish()), 281 + 100);
}

TEST(SimulateLocks, WhoWaitsLongSleeps) {
  Rig run("ws", 1, 2);
  run.setup.costs.pause = 40;
  run.setup.costs.sleeper = 5000;
  run.setup.costs.sleeper_call = 700;
  // 400 pauses are over by then, but no thread sleeps before 5 ms. It has the lock at its next look, of one in four
  // pauses.
  EXPECT_NEAR(run(members_that_lock(2, 1, 100'000, 0)), 1 + 2 * 100'000, 4 * 40);
  // A wake takes half as long as 5000 to one and a half times.
  constexpr double kHeld = 6'000'000;
  const Program p = members_that_lock(2, 1, kHeld, 0);
  const double slept = run(p) - (1 + 2 * kHeld);
  EXPECT_GE(slept, 2500);
  EXPECT_LT(slept, 7500);
  EXPECT_EQ(run(p), 1 + 2 * kHeld + slept);
  run.setup.seed = 2;
  EXPECT_NE(run(p), 1 + 2 * kHeld + slept);
  run.setup.slept = 0;
  EXPECT_NEAR(run(p), 1 + 2 * kHeld, 4 * 40);
}

// It finds that another thread has taken the lock while it woke, and looks on instead of sleeping again.
TEST(SimulateLocks, WhoIsWokenLooksOn) {
  Rig run("ws", 1, 2);
  run.setup.costs.pause = 40;
  run.setup.costs.sleeper = 5000;
  run.setup.costs.sleeper_call = 700;
  constexpr double kHeld = 6'000'000;
  Builder b("taken again");
  const uint32_t first = b.region(Builder::kInitial, 2), lock = b.lock();
  const double sections[] = {kHeld, 100'000};
  for (const double held : sections) {
    b.compute(first, held + 500);
    b.lock_point(0, lock, true), b.lock_point(held, lock, false);
  }
  b.compute(first + 1, 1 + 1000);
  b.lock_point(1, lock, true), b.lock_point(1 + 1000, lock, false);
  // A wake takes 2500 at least, when the first is in its second section: the second comes right behind that.
  const double both = kHeld + 700 + 500 + 100'000;
  EXPECT_NEAR(run(b.finish()), both + 1000, 4 * 40);
}

// Of those who wait, as many as are said to, however short a wait is.
TEST(SimulateLocks, AsManySleepAsAreSaidTo) {
  Rig run("ws", 1, 2);
  run.setup.costs.pause = 1;
  run.setup.costs.sleeper = 10;
  run.setup.costs.sleeper_call = 1000;
  const Program p = members_that_lock(2, 10, 50, 0, 1000);
  auto calls = [&](double slept) {
    run.setup.slept = slept;
    double overhead = 0;
    for (const WorkerTime& w : simulate(p, run.setup).workers) overhead += w.overhead;
    return overhead / 1000;
  };
  EXPECT_EQ(calls(0), 0);
  EXPECT_GT(calls(0.1), 20);
  EXPECT_LT(calls(0.1), calls(0.5));
}

// Pieces of one length under a lock that is nearly always held: who sleeps comes back at any time of the others' round,
// and so finds it free now and then. Were all wakes alike, it might never.
TEST(SimulateLocks, ASleeperIsNotKeptOutForEver) {
  Rig run("ws", 1, 2);
  run.setup.costs.pause = 27;
  run.setup.costs.sleeper = 55000;
  run.setup.costs.sleeper_call = 17000;
  Builder b("steady");
  const uint32_t first = b.region(Builder::kInitial, 2), loop = b.loop(LoopSchedule::on_demand), lock = b.lock();
  for (int i = 0; i < 4000; ++i) {
    b.chunk(23000);
    b.lock_point(7600, lock, true, true), b.lock_point(22900, lock, false, true);
  }
  b.run_loop(first, loop), b.run_loop(first + 1, loop);
  const Program p = b.finish();
  EXPECT_LT(run(p), 0.9 * 4000 * 23000);
  EXPECT_GT(run(p), p.longest_hold());
}

TEST(SimulateLocks, TheHoldOfEitherEnd) {
  Builder b("hold");
  const uint32_t lock = b.lock(), first = b.region(Builder::kInitial, 2);
  b.compute(first, 100, 0.5f);
  b.lock_point(20, lock, true), b.lock_point(60, lock, false);
  b.compute(first + 1, 100, kUnknown);
  b.lock_point(0, lock, true), b.lock_point(80, lock, false);
  const Program p = b.finish();
  EXPECT_DOUBLE_EQ(p.longest_hold(), 40 + 80);
  // Recorded where two shared the bandwidth: alone memory takes half as long.
  EXPECT_DOUBLE_EQ(p.longest_hold(0.5, 0), 40 * 0.75 + 80);
  EXPECT_DOUBLE_EQ(p.longest_hold(0.5, 1), 40 * 0.75 + 80 * 0.5);
}

TEST(SimulateLocks, HowManyWaitersSlept) {
  profile::Profile p;
  Costs costs;
  costs.sleeper_call = 5000;
  p.locks.resize(2);
  p.locks[0].contended = 60;
  EXPECT_LT(slept_share(p, costs), 0);  // too few to say
  p.locks[0].contended = 150, p.locks[1].contended = 50, p.locks[1].waking = 100 * 5000;
  EXPECT_DOUBLE_EQ(slept_share(p, costs), 0.5);
}

TEST(SimulateLocks, WaitingCostsWhatItCostThere) {
  machine::Machine m = grid(1, 2);
  Costs costs = costs_of(m);
  const Costs otherwise = costs;
  profile::RuntimeCosts there;
  there(profile::Waiting::pause) = 27;
  there(profile::Waiting::line) = 51;
  take_waiting(there, m, costs);
  EXPECT_DOUBLE_EQ(costs.pause, 27);
  EXPECT_DOUBLE_EQ(costs.line, 51);
  EXPECT_DOUBLE_EQ(costs.sleeper, otherwise.sleeper);  // was not measured
  m.measured.push_back({"line_round_trip_ns_same_node", 300});
  costs = costs_of(m);
  take_waiting(there, m, costs);
  EXPECT_DOUBLE_EQ(costs.line, 150);  // the model knows
}

TEST(SimulateLocks, ALinesTimeVariesWhereItWasSeenTo) {
  machine::Machine m = grid(1, 2);
  profile::RuntimeCosts there, second;
  Costs costs;
  EXPECT_DOUBLE_EQ(take_line(there, second, m, costs), 1);
  there(profile::Waiting::line) = 30;
  EXPECT_DOUBLE_EQ(take_line(there, second, m, costs), 1);
  there.line_most = 210;
  EXPECT_DOUBLE_EQ(take_line(there, second, m, costs), 7);
  EXPECT_DOUBLE_EQ(costs.line, 30);
  there.line_now = 90;
  EXPECT_DOUBLE_EQ(take_line(there, second, m, costs), 7) << "one recording does not tell what another run will see";
  second.line_now = 60;
  EXPECT_DOUBLE_EQ(take_line(there, second, m, costs), 1.5) << "two do";
  EXPECT_DOUBLE_EQ(costs.line, 60);
  EXPECT_DOUBLE_EQ(take_line(there, second, grid(2, 2), costs), 1);  // not of that recording's machine
  m.measured.push_back({"line_round_trip_ns_same_node", 300});
  EXPECT_DOUBLE_EQ(take_line(there, second, m, costs), 1);  // the model knows
}

TEST(SimulateLocks, ALoopsChunksHoldLocks) {
  Builder b("loop");
  const uint32_t first = b.region(Builder::kInitial, 4), loop = b.loop(LoopSchedule::on_demand), lock = b.lock();
  for (int i = 0; i < 40; ++i) {
    b.chunk(100);
    b.lock_point(20, lock, true, true), b.lock_point(70, lock, false, true);
  }
  for (uint32_t m = 0; m < 4; ++m) b.run_loop(first + m, loop);
  Program p = b.finish();
  EXPECT_DOUBLE_EQ(p.longest_hold(), 40 * 50);
  const double time = Rig("ws", 1, 4)(p);
  EXPECT_GE(time, 40 * 50);
  EXPECT_LE(time, 40 * 50 + 20 + 30);
}

TEST(SimulateLocks, ACutDividesNoSection) {
  Builder b("a loop that nobody saw");
  const uint32_t first = b.region(Builder::kInitial, 1), lock = b.lock();
  b.compute(first, 1000);
  for (int i = 0; i < 10; ++i) b.lock_point(100 * i + 20, lock, true), b.lock_point(100 * i + 60, lock, false);
  const Program one = b.finish();
  for (uint32_t members : {2u, 3u, 4u, 7u}) {
    const Program p = with_members(one, members);
    ASSERT_EQ(check(p), "");
    EXPECT_DOUBLE_EQ(p.work(), 1000);
    EXPECT_DOUBLE_EQ(p.longest_hold(), 400);
    EXPECT_GE(Rig("ws", 1, int(members))(p), 400);
  }
  EXPECT_DOUBLE_EQ(Rig("ws", 1, 2)(with_members(one, 2)), 500 + 40);  // the second is 40 behind for good
}

// One thread's static loop with a critical section in each of ten iterations, as gcc's: a share.
TEST(SimulateLocks, FromARecording) {
  GrainFile file;
  const uint32_t parallel = file.site(Construct::parallel, 0x1000), critical = file.site(Construct::critical, 0x1100);
  Script& t = file.thread(Script::kInitial);
  const uint64_t region = t.new_region();
  t.at(1000).region_begin(parallel, region, 1).at(1000).implicit_begin(0, region);
  for (uint64_t i = 0; i < 10; ++i)
    t.at(1000 + 1000 * i + 200).mutex_acquired(critical, 0x5000).at(1000 + 1000 * i + 900).mutex_released(0x5000);
  t.at(11000).implicit_end().at(11000).region_end().at(11100).thread_end();
  const std::string path = einkorn::test::scratch(".grain"), bytes = file.bytes();
  std::ofstream(path, std::ios::binary).write(bytes.data(), std::streamsize(bytes.size()));
  profile::Profile p;
  profile::LoadError error;
  profile::LoadOptions options;
  options.symbolize = false;
  options.lock_points = true;
  ASSERT_TRUE(profile::load(path, options, p, error)) << error.message;
  remove(path.c_str());
  ASSERT_EQ(p.lock_points.size(), 20u);
  std::string why;
  const Program two = with_members(from_profile(p, {}, why), 2);
  EXPECT_EQ(why, "");
  EXPECT_NEAR(two.longest_hold(), 7000, 1);
  const double time = Rig("ws", 1, 2)(two), outside = double(p.wall_ns) - 10000;
  EXPECT_GE(time, outside + 7000);
  EXPECT_LE(time, outside + 7000 + 300 + 700);
}

// ---- queues of places
// ------------------------------------------------------------------------------------------------

TEST(SimulateQueues, OneAfterTheOther) {
  // Nobody can be faster than the queue, which each task passes twice.
  for (int workers : {2, 8}) {
    Rig run("central", 1, workers);
    run.setup.costs.queue = 10;
    const double time = run(flat(uint32_t(workers), 1000, 1));
    EXPECT_GE(time, 2 * 1000 * 10);
    EXPECT_LE(time, 2 * 1000 * 10 + 1000);
  }
}

TEST(SimulateQueues, ACentralOneFailsOnManySockets) {
  // Tasks of 2 us, created by all: with queues of their own the cores do not meet; with one queue for all the lines
  // between sockets are the limit, and more sockets make it worse, not better.
  auto time = [](const char* name, int nodes) {
    Rig run(name, nodes, 8);
    run.setup.costs.create = run.setup.costs.fetch = 11, run.setup.costs.steal = run.setup.costs.wake = 200,
    run.setup.costs.short_task = 4000;
    run.setup.costs.queue = 15, run.setup.costs.line = 100;
    Builder b("all create");
    const uint32_t n = uint32_t(nodes * 8), first = b.region(Builder::kInitial, n);
    for (uint32_t i = 0; i < 8192; ++i) b.compute(b.fork(first + i % n), 2000);
    return run(b.finish());
  };
  EXPECT_LT(time("ws", 16), time("ws", 1) / 10);
  EXPECT_GT(time("central", 16), 5 * time("ws", 16));
  EXPECT_GT(time("central", 16), time("central", 2));
}

TEST(SimulateQueues, WhoWaitsLongSleepsAndIsNoBurden) {
  // Of empty tasks only the queue's hand-overs are left, two a task. Each that waits makes them slower, but by little,
  // as each of several looks more seldom, and who has waited its 400 pauses sleeps.
  auto hand_over = [](int cores) {
    Rig run("central", 1, cores);
    run.setup.costs.line = 100, run.setup.costs.queue = 15, run.setup.costs.pause = 40;
    Builder b("all create");
    const uint32_t n = uint32_t(cores), first = b.region(Builder::kInitial, n), tasks = 8192;
    for (uint32_t i = 0; i < tasks; ++i) b.compute(b.fork(first + i % n), 1);
    return run(b.finish()) / (2 * tasks);
  };
  EXPECT_GT(hand_over(2), 200);
  EXPECT_GT(hand_over(16), 1.05 * hand_over(2));
  EXPECT_GT(hand_over(32), 1.02 * hand_over(8));
  EXPECT_LT(hand_over(128), 2 * hand_over(32));
  EXPECT_LT(hand_over(128), 600);
}
