// Task memory: sizes, free lists, and the way home of blocks that another worker frees.
#include "runtime/task/blocks.h"

#include <cstring>
#include <gtest/gtest.h>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/settings/config.h"
#include "runtime/task/large_blocks.h"
#include "schedule/freeing.h"

namespace {

using namespace einkorn::base;
using namespace einkorn::runtime;
namespace schedule = einkorn::schedule;

// Workers without threads, with ids that the process does not use.
class BlocksTest : public testing::Test {
 protected:
  void SetUp() override {
    for (int i = 0; i < 3; ++i) {
      worker_[i] = new (allocate(sizeof(Worker))) Worker;
      worker_[i]->id = WorkerId(1000 + i);
      g_workers[1000 + i] = worker_[i];
    }
  }
  Worker* worker_[3];
};

TEST(BlockSizes, SmallestClassThatHolds) {
  EXPECT_EQ(size_class_of(1), 0);
  EXPECT_EQ(size_class_of(4097), kHuge);
  EXPECT_EQ(size_class_of(size_t(1) << 40), kHuge);
  for (size_t bytes = 1; bytes <= 4096; ++bytes) {
    uint8_t c = size_class_of(bytes);
    ASSERT_LT(c, Worker::kSizeClasses);
    ASSERT_GE(kBlockSizes[c], bytes);
    if (c > 0) {
      ASSERT_LT(kBlockSizes[c - 1], bytes);
    }
  }
}

TEST_F(BlocksTest, AlignedDistinctAndReused) {
  Worker* w = worker_[0];
  std::set<void*> seen;
  std::vector<Task*> tasks;
  for (size_t body : {8, 64, 100, 1000, 4000, 8, 8, 64})
    for (int i = 0; i < 100; ++i) {
      Task* t = new_block(w, body);
      ASSERT_EQ(uintptr_t(t) % 64, 0u);
      ASSERT_TRUE(seen.insert(t).second) << "given out twice";
      memset(t->body(), 0x5a, body);
      EXPECT_EQ(t->home, w->id);
      tasks.push_back(t);
    }
  for (Task* t : tasks) free_block(w, t);
  for (int i = 0; i < 300; ++i) ASSERT_TRUE(seen.count(new_block(w, 8))) << "a free block was not used again";
}

TEST_F(BlocksTest, LargeBlocksAreUsedAgain) {
  for (size_t body : {4096, 8000, 8192, 20'000, 65'536, 500'000, 1'000'000, 5'000'000}) {
    Task* t = new_block(worker_[0], body);
    EXPECT_EQ(t->home, kNoWorker);
    EXPECT_EQ(t->size_class, kHuge);
    EXPECT_EQ(uintptr_t(t) % 64, 0u);
    last_word(t) = &body;
    memset(t->body(), 0, body);
    EXPECT_EQ(last_word(t), &body);
    free_block(worker_[1], t);
    EXPECT_LE(worker_[1]->large_bytes, kLargeKept);
    if (body + sizeof(Task) + sizeof(void*) <= kLargest) {
      EXPECT_EQ(new_block(worker_[1], body - 1), t) << body;
      free_block(worker_[1], t);
    }
  }
  leave_blocks(worker_[1]);
  EXPECT_EQ(worker_[1]->large_bytes, 0u);
}

// One thread makes the tasks, another ends them: the blocks come back by the pool.
TEST_F(BlocksTest, LargeBlocksOfOthersComeBackByThePool) {
  std::set<void*> blocks;
  constexpr size_t kBody = 60'000;
  const size_t most = (2 * kLargeKept + kLargePooled) / (64 << 10);
  for (int round = 0; round < 2000; ++round) {
    Task* t = new_block(worker_[0], kBody);
    blocks.insert(t);
    free_block(worker_[1], t);
    ASSERT_LE(worker_[0]->large_bytes, kLargeKept);
    ASSERT_LE(worker_[1]->large_bytes, kLargeKept);
  }
  EXPECT_LE(blocks.size(), 2 * kLargeKept / (64 << 10)) << "of " << most << " that may be kept";
  for (int i = 0; i < 2; ++i) leave_blocks(worker_[i]);
}

// However many there were at a time, no more is kept than may be.
TEST_F(BlocksTest, LargeBlocksAreNotKeptWithoutEnd) {
  std::vector<Task*> all;
  for (int i = 0; i < 200; ++i) all.push_back(new_block(worker_[0], 900'000));
  EXPECT_EQ(std::set<Task*>(all.begin(), all.end()).size(), all.size());
  for (Task* t : all) free_block(worker_[0], t);
  EXPECT_LE(worker_[0]->large_bytes, kLargeKept);
  // Of those that come back, the latest are used first; and no more can come back than were kept.
  const std::set<Task*> before(all.begin(), all.end());
  size_t again = 0;
  for (Task*& t : all) again += before.count(t = new_block(worker_[0], 900'000));
  EXPECT_GE(again, kLargePooled / 2 / kLargest);
  for (Task* t : all) free_block(worker_[0], t);
  leave_blocks(worker_[0]);
}

TEST_F(BlocksTest, LargeBlocksOfManyThreads) {
  std::vector<std::thread> threads;
  for (int n = 0; n < 3; ++n)
    threads.emplace_back([&, n] {
      Worker* w = worker_[n];
      std::vector<Task*> mine;
      for (int i = 0; i < 20'000; ++i) {
        if (mine.size() < size_t(100 + 60 * (i / 1000 % 3))) {
          Task* t = new_block(w, i % 2 ? 30'000 : 5000);
          last_word(t) = w;
          *reinterpret_cast<Worker**>(t->body()) = w;
          mine.push_back(t);
        } else {
          Task* t = mine[size_t(i) * 7 % mine.size()];
          ASSERT_EQ(last_word(t), w);
          ASSERT_EQ(*reinterpret_cast<Worker**>(t->body()), w);
          std::swap(mine[size_t(i) * 7 % mine.size()], mine.back());
          mine.pop_back();
          free_block(w, t);
        }
      }
      for (Task* t : mine) free_block(w, t);
      leave_blocks(w);
    });
  for (std::thread& t : threads) t.join();
}

TEST_F(BlocksTest, ForeignBlocksComeHome) {
  Worker *home = worker_[0], *other = worker_[1];
  std::set<void*> blocks;
  for (int i = 0; i < 100; ++i) blocks.insert(new_block(home, 8));
  for (void* b : blocks) free_block(other, static_cast<Task*>(b));
  EXPECT_LT(count_blocks(other->foreign), 16);
  send_home(other);
  EXPECT_EQ(count_blocks(other->foreign), 0);
  // All come back before a slab is cut again, each once.
  char* fresh = home->fresh;
  std::set<void*> again;
  for (int i = 0; i < 100; ++i) again.insert(new_block(home, 8));
  EXPECT_EQ(again, blocks);
  EXPECT_EQ(home->fresh, fresh);
}

// free=idle:30: they stay until there are so many and the worker has no work, or until there are far too many.
TEST_F(BlocksTest, KeptUntilTheWorkerIsIdle) {
  Worker *home = worker_[0], *other = worker_[1];
  schedule::Schedule late;
  late.free = schedule::Free::idle;
  late.free_number = 30;
  const schedule::Schedule* const before = std::exchange(g_config.schedule, &late);
  std::set<void*> blocks;
  auto end = [&](int count) {
    std::vector<Task*> some;
    for (int i = 0; i < count; ++i) some.push_back(new_block(home, 8));
    for (Task* t : some) blocks.insert(t), free_block(other, t);
  };
  end(29);
  give_back_kept(other, true);
  EXPECT_EQ(other->kept_count, 29u);
  EXPECT_EQ(count_blocks(other->foreign) + count_blocks(home->returned[size_class_of(sizeof(Task) + 16)].load()), 0);
  end(1);
  give_back_kept(other, false);
  EXPECT_EQ(other->kept_count, 30u);
  give_back_kept(other, true);
  EXPECT_EQ(other->kept_count, 0u);
  EXPECT_EQ(count_blocks(other->foreign) + count_blocks(home->returned[size_class_of(sizeof(Task) + 16)].load()), 30);
  end(int(schedule::kMostKept) - 1);
  EXPECT_EQ(other->kept_count, schedule::kMostKept - 1);
  end(1);
  EXPECT_EQ(other->kept_count, 0u);
  end(5);
  leave_blocks(other);
  EXPECT_EQ(other->kept_count, 0u);
  EXPECT_EQ(other->foreign, nullptr);
  // Each once.
  std::set<void*> again;
  for (size_t i = 0; i < blocks.size(); ++i) EXPECT_TRUE(again.insert(new_block(home, 8)).second);
  EXPECT_EQ(again, blocks);
  g_config.schedule = before;
}

TEST_F(BlocksTest, ChainsOfTwoHomesAndTwoClassesDoNotMix) {
  Worker* other = worker_[2];
  Task* a = new_block(worker_[0], 8);
  Task* b = new_block(worker_[1], 8);
  Task* c = new_block(worker_[0], 1000);
  free_block(other, a);
  free_block(other, b);
  free_block(other, c);
  send_home(other);
  EXPECT_EQ(new_block(worker_[0], 8), a);
  EXPECT_EQ(new_block(worker_[1], 8), b);
  EXPECT_EQ(new_block(worker_[0], 1000), c);
}

TEST_F(BlocksTest, ManyThreadsSendHome) {
  Worker* home = worker_[0];
  std::vector<Task*> mine, theirs;
  std::set<void*> all;
  for (int i = 0; i < 20'000; ++i) all.insert((i % 2 ? mine : theirs).emplace_back(new_block(home, 8)));
  auto free_all = [](Worker* w, const std::vector<Task*>& tasks) {
    for (Task* t : tasks) free_block(w, t);
    send_home(w);
  };
  std::thread a(free_all, worker_[1], std::cref(mine)), b(free_all, worker_[2], std::cref(theirs));
  a.join();
  b.join();
  for (int i = 0; i < 20'000; ++i) ASSERT_EQ(all.erase(new_block(home, 8)), 1u);
}

}  // namespace
