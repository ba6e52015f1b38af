// The queue of a place: both ends, several items at once, what may be taken, several threads.
#include "flow_inside.h"

#include <atomic>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

namespace {

using namespace einkorn::flow;
using namespace einkorn::base;

struct Item {
  int value = 0;
  std::atomic<int> taken{0};
};
using Queue = PlaceQueue<Item>;
auto any = [](const Item*) { return true; };

TEST(PlaceQueueTest, BothEnds) {
  Queue q;
  Item items[5], *out[5];
  for (Item& i : items) q.push(&i);
  EXPECT_EQ(q.length(), 5u);
  EXPECT_EQ(q.take_youngest(any, 1, false), &items[4]);
  EXPECT_EQ(q.take_oldest(out, 2, any, false), 2u);
  EXPECT_EQ(out[0], &items[0]);
  EXPECT_EQ(out[1], &items[1]);
  EXPECT_EQ(q.take_oldest(out, 5, any, true), 2u);
  EXPECT_EQ(out[0], &items[2]);
  EXPECT_EQ(out[1], &items[3]);
  EXPECT_EQ(q.length(), 0u);
  EXPECT_EQ(q.take_youngest(any, Queue::kAll, true), nullptr);
  q.destroy();
}

// From the middle, over the seam of the ring, and after it has grown: order stays.
TEST(PlaceQueueTest, TakesWhatIsAllowedWhereverItIs) {
  for (int before : {0, 60, 64}) {
    for (int wanted = 0; wanted < 100; wanted += 9) {
      Queue q;
      std::vector<Item> items(200);
      Item* out[200];
      for (int i = 0; i < before; ++i) q.push(&items[size_t(i) + 100]);
      EXPECT_EQ(q.take_oldest(out, uint32_t(before), any, true), uint32_t(before));
      for (int i = 0; i < 100; ++i) items[size_t(i)].value = i, q.push(&items[size_t(i)]);
      auto is_wanted = [=](const Item* i) { return i->value == wanted; };
      EXPECT_EQ(q.take_youngest(is_wanted, uint32_t(99 - wanted), true), nullptr);  // one too few
      EXPECT_EQ(q.take_youngest(is_wanted, uint32_t(100 - wanted), true), &items[size_t(wanted)]);
      EXPECT_EQ(q.take_oldest(out, 200, any, true), 99u);
      for (int i = 0, at = 0; i < 100; ++i)
        if (i != wanted) {
          EXPECT_EQ(out[at++], &items[size_t(i)]);
        }
      q.destroy();
    }
  }
}

TEST(PlaceQueueTest, TheOldestUpToWhatIsNotAllowed) {
  Queue q;
  Item items[4], *out[4];
  for (int i = 0; i < 4; ++i) items[i].value = i, q.push(&items[i]);
  EXPECT_EQ(q.take_oldest(out, 4, [](const Item* i) { return i->value != 2; }, true), 2u);
  EXPECT_EQ(q.length(), 2u);
  EXPECT_EQ(q.take_oldest(out, 4, [](const Item* i) { return i->value != 2; }, true), 0u);
  q.destroy();
}

TEST(PlaceQueueTest, EachIsTakenOnce) {
  Queue q;
  constexpr int kItems = 20000, kThreads = 4;
  std::vector<Item> items(kItems);
  std::atomic<int> taken{0};
  std::vector<std::thread> threads;
  for (int id = 0; id < kThreads; ++id)
    threads.emplace_back([&, id] {
      Item* out[16];
      int next = id;
      while (taken.load(std::memory_order_relaxed) < kItems) {
        if (next < kItems) {
          Item* some[2] = {&items[size_t(next)], nullptr};
          uint32_t count = 1;
          if (next + kThreads < kItems) some[count++] = &items[size_t(next + kThreads)];
          q.push_all(some, count);
          next += 2 * kThreads;
        }
        uint32_t got = 0;
        if (id % 2) got = q.take_oldest(out, 16, any, id == 1);
        else if ((out[0] = q.take_youngest([](const Item* i) { return i->value == 0; }, 8, id == 2))) got = 1;
        for (uint32_t i = 0; i < got; ++i) out[i]->taken.fetch_add(1, std::memory_order_relaxed);
        taken.fetch_add(int(got), std::memory_order_relaxed);
        if (got == 0) std::this_thread::yield();
      }
    });
  for (std::thread& t : threads) t.join();
  for (const Item& i : items) EXPECT_EQ(i.taken.load(), 1);
  EXPECT_EQ(q.length(), 0u);
  q.destroy();
}

TEST(PlaceQueueTest, IsValidUnlessItIsBroken) {
  Queue q;
  EXPECT_TRUE(q.is_valid());
  std::vector<Item> items(100);
  Item* out[100];
  for (Item& i : items) {
    q.push(&i);
    ASSERT_TRUE(q.is_valid());
  }
  q.push_oldest(&items[0]);
  EXPECT_EQ(q.take_oldest(out, 10, any, true), 10u);
  EXPECT_NE(q.take_youngest(any, 1, true), nullptr);
  EXPECT_TRUE(q.is_valid());
  auto valid_with = [&q](auto& member, uint32_t wrong) {
    const auto before = uint64_t(member);
    member = wrong;
    const bool valid = q.is_valid();
    member = uint32_t(before);
    return valid;
  };
  EXPECT_FALSE(valid_with(Inside::length(q), 3)) << "the hint is no count";
  EXPECT_FALSE(valid_with(Inside::capacity(q), 64)) << "more than it holds";
  EXPECT_FALSE(valid_with(Inside::capacity(q), 192)) << "no power of two";
  EXPECT_TRUE(q.is_valid());
  Inside::head(q) += 1000;
  EXPECT_FALSE(q.is_valid()) << "head behind tail";
  Inside::head(q) -= 1000;
  q.push(nullptr);
  EXPECT_FALSE(q.is_valid()) << "nothing was pushed";
  q.destroy();
}

}  // namespace
