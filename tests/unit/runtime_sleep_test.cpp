// How long a thread without work stays awake.
#include <gtest/gtest.h>

#include "record/system.h"
#include "runtime/sync/lock.h"
#include "runtime/sync/sleep.h"
#include "runtime/team/worker.h"

namespace {

using namespace einkorn::base;
using namespace einkorn::runtime;

bool g_full = false;

class LingeringTest : public testing::Test {
 protected:
  void SetUp() override {
    w_->crowding = {};
    g_config.wait_policy = WaitPolicy::unset;
    g_busy_threads = g_cpus - 1;
    g_full = false;
  }
  void TearDown() override {
    w_->crowding = {};
    g_config.wait_policy = before_;
    g_busy_threads = 0;
  }
  bool lingers(uint64_t later = 1000) {
    return einkorn::runtime::lingers(w_, l_, now_ += later, [](Worker*, uint64_t) { return g_full; });
  }
  // So many waits are short, then it lingers again.
  void expect_short_waits() {
    const int waits = w_->crowding.left();
    EXPECT_GT(waits, 0);
    for (int i = 0; i <= waits; ++i) {
      l_ = {};
      EXPECT_EQ(lingers(), i == waits) << "wait " << i;
    }
  }

  Worker* w_ = self();
  WaitPolicy before_ = g_config.wait_policy;
  Lingering l_;
  uint64_t now_ = 1'000'000'000;
};

TEST_F(LingeringTest, ForSomeMilliseconds) {
  const uint64_t began = now_;
  while (lingers()) {}
  EXPECT_GT(now_ - began, 4'000'000u);
  EXPECT_LT(now_ - began, 8'000'000u);
  EXPECT_EQ(w_->crowding.left(), 0);
}

TEST_F(LingeringTest, NotForWhoSaysOtherwise) {
  g_config.wait_policy = WaitPolicy::passive;
  EXPECT_FALSE(lingers());
  g_config.wait_policy = WaitPolicy::active;
  EXPECT_FALSE(lingers()) << "it spins longer in any case";
}

TEST_F(LingeringTest, NotWhereAllCpusAreWantedHere) {
  EXPECT_TRUE(lingers());
  g_busy_threads = g_cpus;
  EXPECT_FALSE(lingers());
  EXPECT_EQ(w_->crowding.left(), 0);
}

// One more than the primary thread of a team says.
TEST_F(LingeringTest, YieldsWhereOthersWantTheCpus) {
  Team* team = new_team(2);
  team->n = 1;  // no more than CPUs, on any machine
  auto yields = [&](int busy) {
    g_busy_threads = uint32_t(busy);
    return may_yield(team);
  };
  EXPECT_FALSE(yields(g_cpus - 1));
  EXPECT_FALSE(yields(g_cpus));
  EXPECT_TRUE(yields(g_cpus + 1));
  EXPECT_TRUE(yields(4 * g_cpus));
  EXPECT_FALSE(yields(4 * g_cpus + 1)) << "each is in line behind too many";
  EXPECT_EQ(looks_before_yield(team), einkorn::schedule::kPausesBeforeYield);
  g_config.wait_policy = WaitPolicy::active;
  EXPECT_TRUE(yields(g_cpus + 1));
  g_config.wait_policy = WaitPolicy::passive;
  EXPECT_FALSE(yields(g_cpus + 1));
  g_config.wait_policy = WaitPolicy::unset;
  team->n = team->cpus + 1;
  EXPECT_TRUE(yields(g_cpus));
  EXPECT_EQ(looks_before_yield(team), 0) << "some of the team have no CPU";
}

// Who waits for a lock, a turn, another's iteration.
class StaysAwakeTest : public LingeringTest {
 protected:
  // How often it stays before it is to sleep.
  static int looks(StaysAwake& stays) {
    int count = 0;
    while (stays(1)) ++count;
    return count;
  }
};

TEST_F(StaysAwakeTest, AsInABarrierAndAnewAfterASleep) {
  g_busy_threads = 0;
  w_->crowding.found(einkorn::flow::Crowding::kMostOfFull);  // a short wait comes next: it does not linger
  StaysAwake stays(w_);
  const int first = spin_rounds(w_->team);
  EXPECT_GT(first, 0);
  EXPECT_EQ(looks(stays), first);
  const int left = w_->crowding.left();
  EXPECT_EQ(looks(stays), first);
  EXPECT_EQ(w_->crowding.left(), left) << "one wait, however often it is woken";
}

TEST_F(StaysAwakeTest, InTurnInLargeTeamsThatHaveCpus) {
  Team* team = new_team(2);
  const auto in_turn = [team](int threads, int cpus) {
    team->n = threads;
    team->cpus = cpus;
    return waits_in_turn(team);
  };
  EXPECT_FALSE(in_turn(tunables::kLooksApart, 1024));
  EXPECT_TRUE(in_turn(tunables::kLooksApart + 1, tunables::kLooksApart + 1));
  EXPECT_FALSE(in_turn(tunables::kLooksApart + 1, tunables::kLooksApart));
}

TEST_F(StaysAwakeTest, NotIfPassive) {
  g_busy_threads = 0;
  g_config.wait_policy = WaitPolicy::passive;
  StaysAwake stays(w_);
  EXPECT_EQ(looks(stays), 0);
  EXPECT_EQ(looks(stays), 0);
}

// Threads of the program's own are in no team's count: more of them than CPUs yield, and only for a while.
TEST_F(StaysAwakeTest, YieldsOutsideOfRegionsWhereThreadsAreMoreThanCpus) {
  ASSERT_EQ(w_->team->level, 0);
  g_busy_threads = g_cpus;
  StaysAwake stays(w_);
  for (int sleeps = 0; sleeps < 2; ++sleeps) {
    const uint64_t began = einkorn::record::monotonic_ns();
    EXPECT_GT(looks(stays), 0);
    EXPECT_GE(einkorn::record::monotonic_ns() - began, tunables::kYields);
  }
  g_busy_threads = 5 * g_cpus;
  StaysAwake far_too_many(w_);
  EXPECT_EQ(looks(far_too_many), 0);
}

TEST_F(LingeringTest, WhoWasAwayHasGivenWay) {
  EXPECT_TRUE(lingers());
  EXPECT_FALSE(lingers(2'000'000));
  expect_short_waits();
}

TEST_F(LingeringTest, NotOnAFullMachine) {
  g_full = true;
  EXPECT_TRUE(lingers());
  EXPECT_TRUE(lingers()) << "it asks again a little later";
  EXPECT_FALSE(lingers(110'000));
  g_full = false;
  expect_short_waits();
}

TEST_F(LingeringTest, WhereItIsFullForAMoment) {
  g_full = true;
  EXPECT_TRUE(lingers());
  g_full = false;
  EXPECT_TRUE(lingers(110'000));
  g_full = true;
  EXPECT_TRUE(lingers(110'000)) << "it is asked about every millisecond";
  EXPECT_EQ(w_->crowding.left(), 0);
}

TEST_F(LingeringTest, NotOnAMachineThatBecomesFull) {
  EXPECT_TRUE(lingers());
  g_full = true;
  int looks = 1;
  while (lingers(100'000)) ++looks;
  EXPECT_LT(looks, 50) << "it is asked about every millisecond";
  EXPECT_GT(w_->crowding.left(), 0);
}

// What is found again and again is taken to stay; what was found long ago is not.
TEST_F(LingeringTest, ShortWaitsByHowOftenItWasFound) {
  for (int waits : {2, 4, 8, 16, 32, 64, 64}) {
    l_ = {};
    EXPECT_TRUE(lingers());
    EXPECT_FALSE(lingers(2'000'000));
    EXPECT_EQ(w_->crowding.left(), waits);
    expect_short_waits();
  }
  for (int wait = 0; wait < 32; ++wait) {
    l_ = {};
    EXPECT_TRUE(lingers());
  }
  EXPECT_FALSE(lingers(2'000'000));
  EXPECT_EQ(w_->crowding.left(), 2);
}

// Of a full machine nobody stays away for long: it is asked again, at the price of a look.
TEST_F(LingeringTest, AFullMachineIsAskedAboutAgainSoon) {
  g_full = true;
  for (int waits : {2, 4, 8, 8}) {
    l_ = {};
    EXPECT_TRUE(lingers());
    EXPECT_FALSE(lingers(110'000));
    EXPECT_EQ(w_->crowding.left(), waits);
    while (w_->crowding.shortens() && w_->crowding.left() > 0) {}
  }
}

// Of a part of the machine: by what the thread itself waited for a CPU since it was asked before.
TEST(CpuWait, SinceItAskedBefore) {
  einkorn::flow::CpuWait c;
  EXPECT_FALSE(c.wants_its_cpu(1'000'000'000, 900'000'000)) << "all its life is not of late";
  EXPECT_FALSE(c.wants_its_cpu(1'001'000'000, 900'000'000));
  EXPECT_TRUE(c.wants_its_cpu(1'002'000'000, 900'500'000));
  EXPECT_TRUE(c.wants_its_cpu(1'002'100'000, 900'500'000)) << "too soon to say something else";
  EXPECT_FALSE(c.wants_its_cpu(1'003'000'000, 900'510'000)) << "somebody's moment";
}

TEST_F(LingeringTest, AsksThisMachine) {
  // Full or not, it is as one of the two, before the five milliseconds are over.
  Lingering l;
  const uint64_t began = einkorn::record::monotonic_ns();
  bool stays = true;
  while (stays && einkorn::record::monotonic_ns() - began < 500'000) stays = einkorn::runtime::lingers(w_, l);
  EXPECT_EQ(stays, w_->crowding.left() == 0);
}

}  // namespace
