// Threads of a team that share a CPU go apart.
#include <gtest/gtest.h>

#include <sched.h>

#include "base/cpus.h"
#include "base/tunables.h"
#include "record/system.h"
#include "runtime/sync/apart.h"
#include "runtime/sync/sleep.h"
#include "runtime/team/worker.h"

namespace {

using namespace einkorn::base;
using namespace einkorn::runtime;
using einkorn::record::monotonic_ns;

// This thread and another one, of which only its structure is here.
class ApartTest : public testing::Test {
 protected:
  void SetUp() override {
    team_->n = 2;
    team_->cpus = 2;
    team_->slots[0].worker = w_;
    team_->slots[1].worker = &other_;
    w_->team = team_;
  }
  void TearDown() override { w_->team = before_; }

  // Is about to wait, with the other one on its CPU, for which that says so: does it leave that CPU? The system may
  // move it, too, before it is seen there or after: it takes some trials.
  template <class Before>
  bool moves(Before&& before) {
    CpuSet mask, after;
    EXPECT_TRUE(affinity(0, &mask));
    for (int trial = 0; trial < 100; ++trial) {
      w_->looked_apart = 0;
      tell_cpu(w_);
      const int here = sched_getcpu();
      other_.whereabouts.store(w_->whereabouts.load());
      before();
      move_apart(w_);
      const int there = sched_getcpu();
      EXPECT_TRUE(affinity(0, &after));
      EXPECT_TRUE(after == mask) << "it may run wherever it might before";
      if (there == here) continue;
      // By itself: a thread that is seen to say where it is, and is there.
      const uint64_t told = w_->whereabouts;
      tell_cpu(w_);
      if ((told ^ w_->whereabouts) % kMaxCpus == 0 && (told ^ other_.whereabouts) % kMaxCpus != 0) return true;
    }
    return false;
  }
  // As the system might move it a few times in so many trials, but hardly so often.
  template <class Before>
  int moves_of_twenty(Before&& before) {
    int moved = 0;
    for (int i = 0; i < 20; ++i) moved += moves(before);
    return moved;
  }

  Worker* w_ = self();
  Team* before_ = w_->team;
  Team* team_ = new_team(2);
  Worker other_;
};

TEST_F(ApartTest, WhereTheOtherIsAwake) {
  EXPECT_EQ(moves_of_twenty([] {}),
            allowed_cpus() < 2 || einkorn::record::filters_system_calls().value_or(true) ? 0 : 20);
}

TEST_F(ApartTest, NotFromWhoSleeps) {
  EXPECT_LT(moves_of_twenty([this] { other_.park = uint32_t(einkorn::flow::ParkState::asleep); }), 10);
}

TEST_F(ApartTest, NotWhereTheOtherWasLongAgo) {
  // Above the CPU stand microseconds (apart.cpp).
  constexpr uint64_t long_ago = (2 * tunables::kWhereaboutsLast / 1000) * kMaxCpus;
  EXPECT_LT(moves_of_twenty([this] { other_.whereabouts -= long_ago; }), 10);
}

TEST_F(ApartTest, NotAgainAtOnce) {
  EXPECT_LT(moves_of_twenty([this] { w_->looked_apart = monotonic_ns() + 1'000'000'000; }), 10);
}

TEST_F(ApartTest, NotWithMoreThreadsThanCpus) {
  team_->cpus = 1;
  EXPECT_LT(moves_of_twenty([] {}), 10);
}

TEST_F(ApartTest, WhoWaitsForACpuIsNotAtWork) {
  team_->cpus = 1;
  const auto idle = einkorn::flow::kParked;
  EXPECT_FALSE(wants_work(team_, idle)) << "one of two is awake, on one CPU";
  team_->unseen.store(1);
  EXPECT_TRUE(wants_work(team_, idle)) << "but has not begun";
  team_->unseen.store(0);
}

// A new one of four threads, on two CPUs.
class NewOfFourTest : public ApartTest {
 protected:
  void SetUp() override {
    team_ = new_team(4);
    ApartTest::SetUp();
    ASSERT_TRUE(affinity(0, &mask_));
    const int first = mask_.next(0), second = mask_.next(first + 1);
    if (second < 0 || einkorn::record::filters_system_calls().value_or(true)) GTEST_SKIP() << "one CPU, or a filter";
    CpuSet two;
    two.add(first);
    two.add(second);
    ASSERT_TRUE(set_affinity(two));
    change_ = first ^ second;
    team_->n = 4;
    team_->slots[2].worker = &third_;
    team_->slots[3].worker = &fourth_;
  }
  void TearDown() override {
    set_affinity(mask_);
    ApartTest::TearDown();
  }
  // How often of a hundred times, where of the others so many have said that they are on its CPU, and so many that they
  // are on the other one.
  int moves(int here, int there) {
    int moved = 0;
    for (int trial = 0; trial < 100; ++trial) {
      tell_cpu(w_);
      Worker* others[] = {&other_, &third_, &fourth_};
      for (int i = 0; i < 3; ++i)
        others[i]->whereabouts.store(i < here           ? w_->whereabouts.load()
                                     : i < here + there ? w_->whereabouts ^ uint64_t(change_)
                                                        : 0);
      const int before = this_cpu();
      spread_out(w_);
      moved += this_cpu() != before;
    }
    return moved;
  }

  Worker third_, fourth_;
  CpuSet mask_;
  int change_ = 0;  // between the numbers of the two
};

TEST_F(NewOfFourTest, WhereMostAre) {
  EXPECT_GT(moves(3, 0), 80);
  EXPECT_GT(moves(2, 1), 80);
  EXPECT_GT(moves(1, 0), 80) << "the others have not begun";
}

TEST_F(NewOfFourTest, NotWhereAsManyAre) {
  EXPECT_LT(moves(1, 1), 20);
  EXPECT_LT(moves(1, 2), 20);
  EXPECT_LT(moves(0, 3), 20);
}

TEST_F(NewOfFourTest, OneThatWasElsewhere) {
  tell_cpu(w_);
  const int here = this_cpu();
  EXPECT_TRUE(was_elsewhere(other_, here)) << "it has never said where";
  other_.whereabouts.store(w_->whereabouts.load());
  EXPECT_EQ(was_elsewhere(other_, here), ((w_->whereabouts ^ uint64_t(here)) % kMaxCpus) != 0);
  other_.whereabouts.store(w_->whereabouts ^ uint64_t(change_));
  EXPECT_TRUE(was_elsewhere(other_, int(w_->whereabouts % kMaxCpus)));
  EXPECT_TRUE(was_elsewhere(other_, -1));
}

}  // namespace
