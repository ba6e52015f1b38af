// Threads of a team that share a CPU go apart.
#include <gtest/gtest.h>

#include <sched.h>

#include "record/system.h"
#include "runtime/sync/apart.h"
#include "runtime/team/worker.h"

namespace {

using namespace einkorn::base;
using namespace einkorn::runtime;

TEST(NextFreeCpu, BehindThisOneInACircle) {
  CpuSet allowed, taken;
  for (int cpu : {2, 3, 70, 71}) allowed.add(cpu);
  EXPECT_EQ(next_free_cpu(allowed, taken, 2), 3);
  taken.add(3);
  EXPECT_EQ(next_free_cpu(allowed, taken, 2), 70);
  EXPECT_EQ(next_free_cpu(allowed, taken, 71), 2);
  taken.add(2), taken.add(70), taken.add(71);
  EXPECT_EQ(next_free_cpu(allowed, taken, 71), -1);
  taken.add(-1);  // of one that has not said yet
  EXPECT_EQ(next_free_cpu({}, taken, 0), -1);
}

// This thread and another one, of which only its structure is here.
class ApartTest : public testing::Test {
 protected:
  void SetUp() override {
    team_->n.store(2);
    team_->cpus = 2;
    team_->slots[0].worker = w_;
    team_->slots[1].worker = &other_;
    w_->team = team_;
  }
  void TearDown() override { w_->team = before_; }

  // Is about to wait, with the other one on its CPU. Whether it has moved, itself; the system may do that at any time,
  // so it may take some trials to be seen there.
  bool moves() {
    CpuSet mask, after;
    EXPECT_TRUE(affinity(0, &mask));
    for (int trial = 0; trial < 100; ++trial) {
      const uint64_t moved = w_->moved;
      other_.cpu = sched_getcpu();
      move_apart(w_);
      EXPECT_TRUE(affinity(0, &after));
      EXPECT_TRUE(after == mask) << "it may run wherever it might before";
      EXPECT_TRUE(mask.has(w_->cpu));
      if (w_->moved != moved && w_->cpu != other_.cpu) return true;
    }
    return false;
  }
  bool are_two_cpus() const { return allowed_cpus() >= 2; }

  Worker* w_ = self();
  Team* before_ = w_->team;
  Team* team_ = new_team(2);
  Worker other_;
};

TEST_F(ApartTest, WhereTheOtherIsAwake) {
  w_->moved = 0;
  EXPECT_EQ(moves(), are_two_cpus());
}

TEST_F(ApartTest, NotFromWhoSleeps) {
  w_->moved = 0;
  other_.park = uint32_t(einkorn::flow::ParkState::asleep);
  EXPECT_FALSE(moves());
}

TEST_F(ApartTest, NotAgainAtOnce) {
  w_->moved = einkorn::record::monotonic_ns() + 1'000'000'000'000;  // no trial of this test is later
  EXPECT_FALSE(moves());
}

TEST_F(ApartTest, NotWithMoreThreadsThanCpus) {
  w_->moved = 0;
  team_->cpus = 1;
  EXPECT_FALSE(moves());
}

}  // namespace
