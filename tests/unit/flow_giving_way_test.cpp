// When a process leaves its CPUs in each wait: flow/giving_way.h, by a clock of the test's.
#include "flow/giving_way.h"

#include <gtest/gtest.h>

namespace {

using einkorn::flow::GivingWay;
namespace tunables = einkorn::tunables;

constexpr uint64_t kMs = 1'000'000;
constexpr int kThreads = 4;

class GivingWayTest : public testing::Test {
 protected:
  // Who asks finds that, twice.
  void others_want(bool cpus) {
    for (int times = 0; times < 2; ++times) {
      now_ += 2 * tunables::kAskWhetherFull;
      ASSERT_TRUE(it_.is_to_ask(now_));
      it_.found(cpus, now_);
    }
  }
  // So many ms pass, and each thread waits awake for that part of them.
  void pass(uint64_t ms, double awake) {
    for (uint64_t done = 0; done < ms && !it_.holds(); ++done) {
      now_ += kMs;
      for (int thread = 0; thread < kThreads; ++thread) it_.spend(now_, uint64_t(awake * kMs), kThreads);
    }
  }
  // How long it holds, asked each ms as who sleeps does, ms.
  uint64_t held() {
    const uint64_t began = now_;
    while (it_.holds()) it_.end_when_due(now_ += kMs);
    return (now_ - began) / kMs;
  }

  GivingWay it_;
  uint64_t now_ = 1'000 * kMs;
};

TEST_F(GivingWayTest, NotWhereNobodyElseWantsTheCpus) {
  pass(100, 0.9);
  EXPECT_FALSE(it_.holds());
  others_want(false);
  pass(100, 0.9);
  EXPECT_FALSE(it_.holds());
}

TEST_F(GivingWayTest, NotForWhoWaitsLittle) {
  others_want(true);
  pass(1000, 1.0 / (tunables::kAwakePart + 1));
  EXPECT_FALSE(it_.holds());
}

TEST_F(GivingWayTest, OnceTheThreadsHaveWaitedForLong) {
  others_want(true);
  pass(1, 0.5);
  EXPECT_FALSE(it_.holds()) << "there is something saved up";
  pass(100, 0.5);
  EXPECT_TRUE(it_.holds());
  EXPECT_EQ(held(), tunables::kGivesWay / kMs);
}

// One thread's waits count as its own: half of its time is an eighth of the time of four.
TEST_F(GivingWayTest, ManyThreadsMayWaitForLonger) {
  others_want(true);
  for (int ms = 0; ms < 100; ++ms) it_.spend(now_ += kMs, kMs / 5, kThreads);
  EXPECT_FALSE(it_.holds());
  for (int ms = 0; ms < 100; ++ms) it_.spend(now_ += kMs, kMs / 2, kThreads);
  EXPECT_TRUE(it_.holds());
}

TEST_F(GivingWayTest, NotForOthersThatRunForAMoment) {
  now_ += 2 * tunables::kAskWhetherFull;
  ASSERT_TRUE(it_.is_to_ask(now_));
  it_.found(true, now_);
  pass(100, 0.9);
  EXPECT_FALSE(it_.holds()) << "found once";
  now_ += 2 * tunables::kAskWhetherFull;
  it_.found(false, now_);
  it_.found(true, now_);
  pass(100, 0.9);
  EXPECT_FALSE(it_.holds()) << "found twice, but not in a row";
}

TEST_F(GivingWayTest, LongerEachTimeAndShorterAfterACalmTime) {
  others_want(true);
  uint64_t expected = tunables::kGivesWay / kMs;
  for (int times = 0; times < 12; ++times) {
    pass(100, 0.5);
    ASSERT_TRUE(it_.holds());
    EXPECT_EQ(held(), expected);
    expected = std::min(expected * 2, tunables::kGivesWayAtMost / kMs);
  }
  now_ += 3 * tunables::kGivesWayAtMost;
  pass(100, 0.5);
  ASSERT_TRUE(it_.holds());
  EXPECT_EQ(held(), tunables::kGivesWay / kMs);
}

TEST_F(GivingWayTest, EndsOnceTheOthersHaveGone) {
  others_want(true);
  for (int times = 0; times < 5; ++times) pass(100, 0.5), held();
  pass(100, 0.5);
  ASSERT_TRUE(it_.holds());
  now_ += 2 * tunables::kAskWhetherFull;
  it_.found(false, now_);
  EXPECT_TRUE(it_.holds()) << "one that is not there for a moment";
  it_.found(true, now_);
  it_.found(false, now_);
  EXPECT_TRUE(it_.holds());
  it_.found(false, now_);
  EXPECT_FALSE(it_.holds());
  pass(100, 0.9);
  EXPECT_FALSE(it_.holds());
}

// It is one of all who come that asks, each ms, and sooner where the last answer was another one.
TEST_F(GivingWayTest, OneAsks) {
  EXPECT_TRUE(it_.is_to_ask(now_));
  it_.found(false, now_);
  EXPECT_FALSE(it_.is_to_ask(now_ + tunables::kAskWhetherFull / 2));
  EXPECT_TRUE(it_.is_to_ask(now_ += 2 * tunables::kAskWhetherFull));
  it_.found(true, now_);
  EXPECT_FALSE(it_.is_to_ask(now_ + tunables::kAskAgain / 2));
  EXPECT_TRUE(it_.is_to_ask(now_ + 2 * tunables::kAskAgain));
  EXPECT_FALSE(it_.is_to_ask(now_)) << "another one's clock is behind";
}

}  // namespace
