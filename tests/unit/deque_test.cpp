// The deque with real threads and alone: order, base, growth, publish, forced steal. Interleavings: model/.
#include <gtest/gtest.h>
#include <memory>
#include <numeric>
#include <thread>
#include <vector>

#include "flow_inside.h"

namespace {

using namespace einkorn::flow;
using namespace einkorn::base;
using Ints = Deque<int, Native, 4>;

class DequeTest : public testing::Test {
 protected:
  void SetUp() override { deque_.init(); }
  void TearDown() override { deque_.destroy(); }
  int* steal(bool force, bool allow = true) {
    int* out = nullptr;
    last_ = deque_.steal(out, force, [=](int*) { return allow; });
    return out;
  }
  Ints deque_;
  Ints::Steal last_ = Ints::Steal::empty;
  int items_[100];
};

TEST_F(DequeTest, OwnerTakesTheYoungestThievesTheOldest) {
  for (int i = 0; i < 3; ++i) deque_.push(&items_[i]);
  deque_.publish();
  EXPECT_EQ(steal(false), &items_[0]);
  EXPECT_EQ(deque_.pop(), &items_[2]);
  EXPECT_EQ(deque_.pop(), &items_[1]);
  EXPECT_EQ(deque_.pop(), nullptr);
  EXPECT_TRUE(deque_.seems_empty());
}

// How many is the caller's to say, of those that are public.
TEST_F(DequeTest, AThiefTakesTheAmountThatItIsTold) {
  for (int i = 0; i < 20; ++i) deque_.push(&items_[i]);
  deque_.publish(4);
  int* some[16];
  int count = 0;
  auto any = [](int*) { return true; };
  int64_t asked = 0;
  auto half = [&](int64_t length) { return asked = length, length / 2; };
  ASSERT_EQ(deque_.steal_some(some, half, count, false, any), Ints::Steal::taken);
  EXPECT_EQ(asked, 16);
  ASSERT_EQ(count, 8);
  for (int i = 0; i < count; ++i) EXPECT_EQ(some[i], &items_[i]);
  ASSERT_EQ(deque_.steal_some(some, [](int64_t) { return int64_t(1); }, count, false, any), Ints::Steal::taken);
  EXPECT_EQ(count, 1);
  EXPECT_EQ(some[0], &items_[8]);
}

TEST_F(DequeTest, PrivateItemsNeedForce) {
  deque_.push(&items_[0]);
  deque_.push(&items_[1]);
  EXPECT_FALSE(deque_.has_public());
  EXPECT_EQ(steal(false), nullptr);
  EXPECT_EQ(last_, Ints::Steal::empty);
  EXPECT_EQ(steal(true), &items_[0]);
  EXPECT_EQ(last_, Ints::Steal::taken);
  EXPECT_TRUE(deque_.has_public()) << "force makes all public";
  EXPECT_EQ(deque_.pop(), &items_[1]);
}

TEST_F(DequeTest, PopStopsAtTheBase) {
  for (int i = 0; i < 3; ++i) deque_.push(&items_[i]);
  EXPECT_EQ(deque_.pop(2), &items_[2]);
  EXPECT_EQ(deque_.pop(2), nullptr);
  EXPECT_EQ(deque_.bottom(), 2);
  EXPECT_EQ(deque_.pop(), &items_[1]);
}

TEST_F(DequeTest, BaseStaysRightWhenThievesPassIt) {
  for (int i = 0; i < 3; ++i) deque_.push(&items_[i]);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(steal(true), &items_[i]);
  EXPECT_EQ(deque_.pop(1), nullptr);
  EXPECT_EQ(deque_.bottom(), 3) << "a failed pop leaves bottom";
  deque_.push(&items_[9]);
  EXPECT_EQ(deque_.pop(3), &items_[9]);
}

TEST_F(DequeTest, RefusedItemsStay) {
  deque_.push(&items_[0]);
  EXPECT_EQ(steal(true, false), nullptr);
  EXPECT_EQ(last_, Ints::Steal::refused);
  EXPECT_EQ(steal(true), &items_[0]);
}

TEST_F(DequeTest, RoomIsAsManyAsAllowed) {
  deque_.limit(2);
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(deque_.has_room());
    deque_.push(&items_[i]);
  }
  EXPECT_FALSE(deque_.has_room());
  EXPECT_EQ(steal(true), &items_[0]);
  EXPECT_FALSE(deque_.has_room()) << "thieves are not looked for";
  deque_.allow(2);
  for (int i = 2; i < 4; ++i) {
    EXPECT_TRUE(deque_.has_room());
    deque_.push(&items_[i]);
  }
  EXPECT_FALSE(deque_.has_room()) << "two more than there were";
  deque_.allow(100);
  EXPECT_TRUE(deque_.has_room());
  deque_.push(&items_[4]);
  EXPECT_FALSE(deque_.has_room()) << "its four slots are full";
  deque_.push(&items_[5]);
  EXPECT_TRUE(deque_.has_room()) << "it has grown";
  deque_.limit(0);
  while (deque_.pop()) {}
  EXPECT_FALSE(deque_.has_room());
}

TEST_F(DequeTest, GrowsAndKeepsOrder) {
  // With top moved on, so that old and new places differ.
  for (int i = 0; i < 3; ++i) deque_.push(&items_[i]);
  EXPECT_EQ(steal(true), &items_[0]);
  EXPECT_EQ(steal(true), &items_[1]);
  for (int i = 3; i < 100; ++i) deque_.push(&items_[i]);
  EXPECT_EQ(steal(true), &items_[2]);
  for (int i = 99; i >= 3; --i) ASSERT_EQ(deque_.pop(), &items_[i]);
  EXPECT_EQ(deque_.pop(), nullptr);
}

// A deque whose clock is the test's.
struct Clocked : Native {
  static uint64_t ticks() { return now; }
  static inline uint64_t now = 0;
};

using ClockedDeque = Deque<int, Clocked>;

// How many there are to be had, by force or without.
int steal_all(ClockedDeque& deque, bool force = false) {
  int count = 0, *item = nullptr;
  while (deque.steal(item, force, [](int*) { return true; }) == ClockedDeque::Steal::taken) ++count;
  return count;
}

TEST(Deque, PopOfPublicItemsTakesHalfBack) {
  auto deque = std::make_unique<ClockedDeque>();
  deque->init();
  int items[8];
  auto stolen = [&] { return steal_all(*deque); };
  for (int& i : items) deque->push(&i);
  deque->publish();
  EXPECT_EQ(deque->pop(), &items[7]);
  EXPECT_EQ(stolen(), 3) << "of 7 the older half stays public";
  for (int i = 6; i >= 3; --i) EXPECT_EQ(deque->pop(), &items[i]);
  EXPECT_EQ(deque->pop(), nullptr);
  // The four and that one have lasted long: one at a time.
  Clocked::now += 1'000'000;
  for (int& i : items) deque->push(&i);
  deque->publish();
  EXPECT_EQ(deque->pop(), &items[7]);
  EXPECT_EQ(stolen(), 7) << "all others stay public";
  deque->destroy();
}

TEST(Deque, AfterForceNothingIsKept) {
  fences_init();
  auto deque = std::make_unique<ClockedDeque>();
  deque->init();
  int items[8], *item;
  for (int& i : items) deque->push(&i);
  deque->publish_long();
  EXPECT_EQ(steal_all(*deque), 0) << "nothing says that they are long";
  ASSERT_EQ(deque->steal(item, true, [](int*) { return true; }), ClockedDeque::Steal::taken);
  EXPECT_EQ(deque->pop(), &items[7]);
  EXPECT_EQ(steal_all(*deque), 6) << "one was taken back, not half of them";
  EXPECT_EQ(deque->pop(), nullptr);
  for (int i = 0; i < 3; ++i) deque->push(&items[i]);
  EXPECT_EQ(steal_all(*deque), 0);
  deque->publish_long();
  EXPECT_EQ(steal_all(*deque), 3);
  deque->destroy();
}

// Owner and two thieves, with and without force: every item exactly once.
TEST(DequeStress, EachItemOnce) {
  fences_init();
  constexpr int kItems = 200'000;
  auto deque = std::make_unique<Deque<std::atomic<int>, Native, 2>>();
  deque->init();
  std::vector<std::atomic<int>> taken(kItems);
  std::atomic<bool> over{false};
  auto thief = [&](bool force) {
    while (!over) {
      std::atomic<int>* item = nullptr;
      if (!deque->seems_empty() && deque->steal(item, force, [](std::atomic<int>*) { return true; }) ==
                                       Deque<std::atomic<int>, Native, 2>::Steal::taken)
        item->fetch_add(1, std::memory_order_relaxed);
    }
  };
  std::thread a(thief, true), b(thief, false);
  for (int i = 0; i < kItems;) {
    for (int burst = i % 7 + 1; burst > 0 && i < kItems; --burst) deque->push(&taken[size_t(i++)]);
    if (i % 5 == 0) deque->publish();
    for (int pops = i % 4; pops > 0; --pops)
      if (auto* item = deque->pop()) item->fetch_add(1, std::memory_order_relaxed);
  }
  while (auto* item = deque->pop()) item->fetch_add(1, std::memory_order_relaxed);
  over = true;
  a.join();
  b.join();
  while (auto* item = deque->pop()) item->fetch_add(1, std::memory_order_relaxed);
  for (int i = 0; i < kItems; ++i) ASSERT_EQ(taken[size_t(i)].load(), 1) << i;
  deque->destroy();
}

// The lock of the deque, of omp_lock_t and of critical.
TEST(MutexTest, ExcludesAndSleeps) {
  Mutex m;
  EXPECT_TRUE(m.try_lock());
  EXPECT_FALSE(m.try_lock());
  EXPECT_TRUE(m.held());
  m.unlock();
  EXPECT_FALSE(m.held());
  int count = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int k = 0; k < 20'000; ++k) {
        m.lock();
        ++count;
        m.unlock();
      }
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(count, 80'000);
  EXPECT_FALSE(m.held());
}

// Who stays awake for a while, then sleeps, is woken and finds it held again: sections longer than any look.
TEST(MutexTest, ExcludesThoseWhoStayAwake) {
  Mutex m;
  int count = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      for (int k = 0; k < 300; ++k) {
        int left = k % 3 * 50;
        m.lock_while(Mutex::holder(uint32_t(i)), [&](int pauses) {
          const bool stays = left > 0;
          left = stays ? left - pauses : k % 3 * 50;
          return stays ? pauses : 0;
        });
        ++count;
        if (k % 4 == 0) std::this_thread::sleep_for(std::chrono::microseconds(50));
        m.unlock();
      }
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(count, 1200);
  EXPECT_FALSE(m.held());
}

// What is_valid() says of a deque with one thing wrong, which is then mended.
template <class Member, class Value>
bool valid_with(Ints& deque, Member& member, Value wrong) {
  const Value before = member;
  member = wrong;
  const bool valid = deque.is_valid();
  member = before;
  EXPECT_TRUE(deque.is_valid());
  return valid;
}

TEST_F(DequeTest, IsValidWhateverIsDoneToIt) {
  Ints never_used;
  EXPECT_TRUE(never_used.is_valid());
  EXPECT_TRUE(deque_.is_valid());
  for (int i = 0; i < 10; ++i) {
    deque_.push(&items_[i]);
    EXPECT_TRUE(deque_.is_valid()) << "pushed and grown " << i;
  }
  deque_.publish(1);
  EXPECT_TRUE(deque_.is_valid());
  while (steal(true)) EXPECT_TRUE(deque_.is_valid());
  EXPECT_EQ(deque_.pop(), nullptr);
  EXPECT_TRUE(deque_.is_valid());
  for (int i = 0; i < 8; ++i) deque_.push(&items_[i]);
  deque_.publish();
  while (deque_.pop()) EXPECT_TRUE(deque_.is_valid()) << "took some back";
  deque_.limit(2);
  EXPECT_TRUE(deque_.is_valid());
}

TEST_F(DequeTest, IsNotValidWhereItIsBroken) {
  for (int i = 0; i < 4; ++i) deque_.push(&items_[i]);
  deque_.publish(2);
  EXPECT_NE(steal(false), nullptr);
  ASSERT_TRUE(deque_.is_valid());  // 1 <= 2 <= 4
  EXPECT_FALSE(valid_with(deque_, Inside::top(deque_), int64_t(3))) << "more taken than was public";
  EXPECT_FALSE(valid_with(deque_, Inside::split(deque_), int64_t(5))) << "more public than there is";
  EXPECT_FALSE(valid_with(deque_, Inside::split(deque_), int64_t(0))) << "public again what was taken";
  EXPECT_FALSE(valid_with(deque_, Inside::bottom(deque_), int64_t(6))) << "more than it holds";
  EXPECT_FALSE(valid_with(deque_, Inside::seen_top(deque_), int64_t(2))) << "thieves were not seen to take this";
  EXPECT_FALSE(valid_with(deque_, Inside::mask(deque_), int64_t(4))) << "no power of two";
  EXPECT_FALSE(valid_with(deque_, Inside::room(deque_), int64_t(5))) << "more room than there is";
  deque_.push(nullptr);
  EXPECT_FALSE(deque_.is_valid()) << "nothing was pushed";
}

}  // namespace
