// Who waits for a lock in turn, of real threads and sizes. Interleavings: model/lock_queue_model_test.cpp.
#include "flow/lock_queue.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <memory>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "flow/mutex.h"

namespace {

using namespace einkorn::flow;
using namespace einkorn::base;

class LockQueueTest : public testing::Test {
 protected:
  void SetUp() override { LockQueue::forget(); }
  void TearDown() override { LockQueue::forget(); }
  void comes_and_goes() { LockTurn turn(queue_); }
  // So many, until the turn waits for who comes next.
  int come_and_go() {
    int tries = 0;
    while (!queue_.is_empty() && tries < 100) comes_and_goes(), ++tries;
    return tries;
  }
  // Of a thread that was cancelled: it never leaves.
  void loses_a_turn(LockQueue& queue) {
    lost_.push_back(std::unique_ptr<char[]>(new char[sizeof(LockTurn)]));
    new (lost_.back().get()) LockTurn(queue);
  }
  Mutex mutex_;
  LockQueue& queue_ = LockQueue::of(&mutex_);

 private:
  std::vector<std::unique_ptr<char[]>> lost_;
};

TEST_F(LockQueueTest, PassesTheTurnInTheOrderOfNumbers) {
  auto a = std::make_unique<LockTurn>(queue_), b = std::make_unique<LockTurn>(queue_),
       c = std::make_unique<LockTurn>(queue_);
  EXPECT_TRUE(a->is_first());
  EXPECT_FALSE(b->is_first());
  EXPECT_FALSE(queue_.is_empty());
  b.reset();  // to sleep
  EXPECT_FALSE(c->is_first());
  a.reset();
  EXPECT_TRUE(c->is_first());
  c.reset();
  EXPECT_TRUE(queue_.is_empty());
  EXPECT_TRUE(LockTurn(queue_).is_first());
}

TEST_F(LockQueueTest, BeginsAnewBehindOneThatNeverLeaves) {
  for (int round = 0; round < 3; ++round) {
    loses_a_turn(queue_);
    EXPECT_LT(come_and_go(), 30);
  }
}

TEST_F(LockQueueTest, BeginsAnewWhereMoreWaitedThanThereArePlaces) {
  std::vector<std::unique_ptr<LockTurn>> all;
  for (int i = 0; i < 1500; ++i) all.push_back(std::make_unique<LockTurn>(queue_));
  for (int i = 0; i < 1500; ++i) all[size_t(i * 7 % 1500)].reset();
  EXPECT_LT(come_and_go(), 30);
}

// One that was first long ago takes nothing from those that have its place now.
TEST_F(LockQueueTest, OneThatIsLateChangesNothing) {
  auto late = std::make_unique<LockTurn>(queue_);
  EXPECT_TRUE(late->is_first());
  come_and_go();
  for (int i = 0; i < 600; ++i) comes_and_goes();
  EXPECT_TRUE(queue_.is_empty());
  LockTurn first(queue_), second(queue_);
  late.reset();
  EXPECT_TRUE(first.is_first());
  EXPECT_FALSE(second.is_first());
}

TEST_F(LockQueueTest, EachLooksOutOfTurnBeforeLong) {
  std::vector<std::unique_ptr<LockTurn>> all;
  for (int i = 0; i < 1500; ++i) {
    all.push_back(std::make_unique<LockTurn>(queue_));
    EXPECT_EQ(all.back()->gap(), 64 * std::min(std::max(i, 1), 512));
  }
}

TEST_F(LockQueueTest, IsForOneLockUntilItsCrowdHasGone) {
  Mutex others[64 * 64];
  Mutex* other = others;
  while (&LockQueue::of(other) != &queue_) ++other;
  queue_.gathers(&mutex_, LockQueue::kCrowd - 1);
  EXPECT_FALSE(queue_.is_for(&mutex_));
  queue_.gathers(&mutex_, LockQueue::kCrowd);
  EXPECT_TRUE(queue_.is_for(&mutex_));
  {
    LockTurn turn(queue_);
    queue_.gathers(other, LockQueue::kCrowd);
    EXPECT_TRUE(queue_.is_for(&mutex_));
  }
  queue_.gathers(other, LockQueue::kCrowd);
  EXPECT_TRUE(queue_.is_for(other));
  for (int i = 0; i < 16; ++i) comes_and_goes();
  EXPECT_FALSE(queue_.is_for(other)) << "few wait: they look as before";
}

// Twelve times as many threads as there are CPUs, maybe; the turn is lost in the midst of it.
TEST_F(LockQueueTest, ExcludesManyThreads) {
  constexpr int kThreads = 24, kTimes = 400;
  int count = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&, i] {
      for (int k = 0; k < kTimes; ++k) {
        int left = k % 3 * 2000;
        const auto stays = [&](int pauses) { return (left -= pauses) > 0 ? pauses : 0; };
        if (i == 5) mutex_.lock_while(Mutex::holder(uint32_t(i)), stays);
        else mutex_.lock_in_turn(Mutex::holder(uint32_t(i)), stays);
        ++count;
        if (i == 7 && k == 100) queue_.gathers(&mutex_, LockQueue::kCrowd), loses_a_turn(queue_);
        if (k % 64 == i) std::this_thread::sleep_for(std::chrono::microseconds(50));
        mutex_.unlock();
      }
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(count, kThreads * kTimes);
  EXPECT_FALSE(mutex_.held());
}

// The first one is not on its CPU: who waits behind it, awake, has the lock all the same.
TEST_F(LockQueueTest, OneWithoutACpuHoldsUpNobody) {
  queue_.gathers(&mutex_, LockQueue::kCrowd);
  LockTurn away(queue_);
  EXPECT_TRUE(away.is_first());
  mutex_.lock();
  std::atomic<bool> has{false}, gave_up{false};
  std::thread waits([&] {
    mutex_.lock_in_turn(Mutex::holder(1), [&](int pauses) { return gave_up.load() ? 0 : pauses; });  // never sleeps
    has = true;
    mutex_.unlock();
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  EXPECT_FALSE(has);
  mutex_.unlock();
  for (int ms = 0; ms < 5000 && !has; ++ms) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_TRUE(has);
  gave_up = true;
  waits.join();
  EXPECT_FALSE(away.is_first() && queue_.is_empty());
}

}  // namespace
