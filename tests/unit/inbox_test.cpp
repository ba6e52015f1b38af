// The inbox: order, what may be taken, several threads.
#include "flow/inbox.h"

#include <atomic>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

namespace {

using namespace einkorn::flow;
using namespace einkorn::base;

struct Item {
  Item* next = nullptr;
  Item** link() { return &next; }
  int value = 0;
  std::atomic<int> taken{0};
};
auto any = [](const Item*) { return true; };

TEST(InboxTest, FirstInFirstOut) {
  Inbox<Item> inbox;
  Item items[3];
  EXPECT_TRUE(inbox.seems_empty());
  EXPECT_EQ(inbox.take(any), nullptr);
  for (Item& i : items) inbox.push(&i);
  EXPECT_FALSE(inbox.seems_empty());
  for (Item& i : items) EXPECT_EQ(inbox.take(any), &i);
  EXPECT_TRUE(inbox.seems_empty());
}

// First, middle, last, and the only one taken out: the list stays whole.
TEST(InboxTest, TakesWhatIsAllowed) {
  for (int wanted = 0; wanted < 3; ++wanted) {
    Inbox<Item> inbox;
    Item items[4];
    for (int i = 0; i < 4; ++i) items[i].value = i;
    for (int i = 0; i < 3; ++i) inbox.push(&items[i]);
    EXPECT_EQ(inbox.take([](const Item*) { return false; }), nullptr);
    EXPECT_EQ(inbox.take([=](const Item* i) { return i->value == wanted; }), &items[wanted]);
    inbox.push(&items[3]);
    for (int i = 0; i < 4; ++i)
      if (i != wanted) {
        EXPECT_EQ(inbox.take(any, true), &items[i]);
      }
    EXPECT_EQ(inbox.take(any, true), nullptr);
    inbox.push(&items[0]);
    EXPECT_EQ(inbox.take(any), &items[0]);
  }
}

TEST(InboxTest, SeveralAtOnce) {
  Inbox<Item> inbox;
  Item items[6], *taken[6];
  for (int i = 0; i < 6; ++i) items[i].value = i, inbox.push(&items[i]);
  // Up to the first that is not allowed; what stands before and behind stays in order.
  EXPECT_EQ(inbox.take_some(taken, 6, [](const Item* i) { return i->value == 1 || i->value == 2 || i->value == 4; }),
            2);
  EXPECT_EQ(taken[0], &items[1]);
  EXPECT_EQ(taken[1], &items[2]);
  EXPECT_EQ(inbox.take_some(taken, 2, any), 2);
  EXPECT_EQ(taken[0], &items[0]);
  EXPECT_EQ(taken[1], &items[3]);
  inbox.push(&items[0]);
  EXPECT_EQ(inbox.take_some(taken, 6, any), 3);
  EXPECT_EQ(taken[0], &items[4]);
  EXPECT_EQ(taken[2], &items[0]);
  EXPECT_TRUE(inbox.seems_empty());
  inbox.push(&items[5]);
  EXPECT_EQ(inbox.take(any), &items[5]);
}

// Of a long list of others' only the first are looked at, but for who is about to sleep.
TEST(InboxTest, LooksAtTheFirst) {
  Inbox<Item> inbox;
  std::vector<Item> items(100);
  for (int i = 0; i < 100; ++i) items[size_t(i)].value = i, inbox.push(&items[size_t(i)]);
  int looks = 0;
  auto last = [&](const Item* i) { return ++looks, i->value == 99; };
  EXPECT_EQ(inbox.take(last), nullptr);
  EXPECT_LT(looks, 20);
  EXPECT_EQ(inbox.take(last, true), &items[99]);
  for (int i = 0; i < 99; ++i) EXPECT_EQ(inbox.take(any), &items[size_t(i)]);
  EXPECT_TRUE(inbox.seems_empty());
}

TEST(InboxTest, EachItemOnceAmongThreads) {
  constexpr int kItems = 20'000;
  Inbox<Item> inbox;
  std::vector<Item> items(2 * kItems);
  std::atomic<int> left{2 * kItems};
  auto push = [&](int from) {
    for (int i = from; i < from + kItems; ++i) inbox.push(&items[size_t(i)]);
  };
  auto take = [&] {
    while (left > 0)
      if (Item* i = inbox.take(any)) i->taken.fetch_add(1), left.fetch_sub(1);
  };
  std::thread threads[] = {std::thread(push, 0), std::thread(push, kItems), std::thread(take), std::thread(take)};
  for (auto& t : threads) t.join();
  for (Item& i : items) ASSERT_EQ(i.taken.load(), 1);
}

}  // namespace
