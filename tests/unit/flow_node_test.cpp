// Nodes with predecessors and successors that are no tasks: order, who is told when, who frees. Interleavings:
// model/node_model_test.cpp.
#include "flow/node.h"

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace einkorn::flow;
using namespace einkorn::base;

struct Step {
  Node<Step> node;
  Node<Step>::Link links[4];
  int number = 0;
  std::atomic<int> began{0};
  Step* next_ready = nullptr;

  Step() { node.init(), node.name(); }
};
constexpr auto fetch_nothing = [](Node<Step>::Link*) {};

// It follows these: true: it may start.
bool follows(Step& s, std::vector<Step*> before, uintptr_t tag = 0) {
  s.node.expect(uint32_t(before.size()));
  uint32_t missed = 0, n = 0;
  for (Step* b : before) {
    auto* link = &s.links[n++];
    link->successor = &s;
    b->node.name();
    missed += !b->node.push(link, tag);
  }
  return before.empty() || (missed != 0 && s.node.missed(missed));
}
// It ends: those that may start now, oldest first.
std::string end(Step& s, bool kept = false) {
  std::string ready;
  uintptr_t list = s.node.close(kept);
  Node<Step>::for_each(list, fetch_nothing, [&](Step* next) {
    if (next->node.count_down()) ready += std::to_string(next->number);
  });
  return ready;
}

TEST(NodeTest, StartsWhenAllBeforeItHaveEnded) {
  Step a, b, c;
  c.number = 3;
  EXPECT_FALSE(follows(c, {&a, &b}));
  EXPECT_FALSE(a.node.has_ended());
  EXPECT_EQ(end(b), "");
  EXPECT_FALSE(a.node.has_ended());
  EXPECT_TRUE(b.node.has_ended());
  EXPECT_EQ(end(a), "3");
}

TEST(NodeTest, WhoHasEndedIsNotWaitedFor) {
  Step a, b, c, d;
  EXPECT_EQ(end(a), "");
  EXPECT_FALSE(follows(c, {&a, &b}));
  EXPECT_EQ(end(b), "0");
  EXPECT_TRUE(follows(d, {&a, &b}));
  EXPECT_TRUE(d.node.waits_for_nobody());
}

TEST(NodeTest, TheOldestSuccessorFirstAndFetchedBefore) {
  Step a, next[5];
  int fetched = 0;
  for (int i = 0; i < 5; ++i) next[i].number = i, follows(next[i], {&a}, i % 2 ? Node<Step>::kTag : 0);
  std::string order;
  Node<Step>::for_each(
      a.node.close(), [&](Node<Step>::Link*) { ++fetched; },
      [&](Step* s) { order += std::to_string(s->number) + (fetched == 2 ? "" : "early"); });
  EXPECT_EQ(order, "01234");
}

// The last of its creator and of who ends it frees a node: once.
TEST(NodeTest, TheLastOneFreesIt) {
  Step ends_first, dropped_first, with_push, next;
  EXPECT_FALSE(Node<Step>::is_dropped(ends_first.node.close())) << "the creator names it";
  EXPECT_TRUE(ends_first.node.unname());
  EXPECT_TRUE(ends_first.node.drop()) << "and is the last";
  EXPECT_TRUE(dropped_first.node.unname());
  EXPECT_FALSE(dropped_first.node.drop());
  EXPECT_TRUE(Node<Step>::is_dropped(dropped_first.node.close()));
  next.node.expect(1);
  next.links[0].successor = &next;
  EXPECT_TRUE(with_push.node.push(&next.links[0], 0)) << "with its only name";
  EXPECT_FALSE(with_push.node.is_named());
  const uintptr_t list = with_push.node.close();
  EXPECT_TRUE(Node<Step>::is_dropped(list));
  EXPECT_TRUE(Node<Step>::has_successors(list));
}

TEST(NodeTest, KeptItIsFreedBehindLettingGo) {
  Step one, other, third;
  EXPECT_FALSE(Node<Step>::is_dropped(one.node.close(true)));
  EXPECT_TRUE(one.node.has_ended());
  EXPECT_TRUE(one.node.unname());
  EXPECT_FALSE(one.node.drop()) << "it is kept";
  EXPECT_TRUE(one.node.let_go());
  EXPECT_FALSE(Node<Step>::is_dropped(other.node.close(true)));
  EXPECT_FALSE(other.node.let_go()) << "the creator names it";
  EXPECT_TRUE(other.node.unname());
  EXPECT_TRUE(other.node.drop());
  EXPECT_TRUE(third.node.unname());
  EXPECT_FALSE(third.node.drop());
  EXPECT_TRUE(Node<Step>::is_dropped(third.node.close(true)));
  EXPECT_TRUE(third.node.has_ended());
  EXPECT_TRUE(third.node.let_go());
}

// A grid, each step behind its left and upper neighbour, built while another thread runs what is ready.
TEST(NodeTest, AWavefrontIsBuiltWhileItRuns) {
  constexpr int kSide = 60;
  auto steps = std::make_unique<Step[]>(kSide * kSide);
  std::atomic<Step*> ready{nullptr};
  std::atomic<int> ran{0}, early{0};
  auto push = [&](Step* s) {
    s->next_ready = ready.load();
    while (!ready.compare_exchange_weak(s->next_ready, s)) {}
  };
  auto at = [&](int x, int y) { return &steps[size_t(y * kSide + x)]; };
  std::thread runner([&] {
    while (ran.load() < kSide * kSide) {
      Step* list = ready.exchange(nullptr);
      if (!list) std::this_thread::yield();
      for (Step* next; list; list = next) {
        next = list->next_ready;
        const int x = list->number % kSide, y = list->number / kSide;
        early += (x > 0 && !at(x - 1, y)->began) || (y > 0 && !at(x, y - 1)->began);
        ++list->began;
        ++ran;
        Node<Step>::for_each(list->node.close(), fetch_nothing, [&](Step* s) {
          if (s->node.count_down()) push(s);
        });
      }
    }
  });
  for (int i = 0; i < kSide * kSide; ++i) {
    Step* s = &steps[size_t(i)];
    s->number = i;
    std::vector<Step*> before;
    if (i % kSide) before.push_back(s - 1);
    if (i >= kSide) before.push_back(s - kSide);
    if (follows(*s, before)) push(s);
  }
  runner.join();
  EXPECT_EQ(early.load(), 0);
  for (int i = 0; i < kSide * kSide; ++i) EXPECT_EQ(steps[size_t(i)].began.load(), 1) << i;
}

}  // namespace
