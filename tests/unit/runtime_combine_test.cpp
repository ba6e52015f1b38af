// Reductions along the tree of a team: real threads, of teams of several sizes, over and over.
#include <gtest/gtest.h>

#include <string>

#include "runtime/sync/barrier.h"
#include "runtime/sync/combine.h"
#include "runtime/team/team.h"
#include "runtime/team/worker.h"

namespace {

using namespace einkorn::runtime;

template <class Body>
void on_team(int n, const Body& body) {
  static const einkorn::schedule::Schedule usual;
  if (!g_config.schedule) g_config.schedule = &usual;  // no program's settings were read here
  parallel(
      self(), [](void* data) { (*static_cast<const Body*>(data))(self()); }, const_cast<Body*>(&body), n, nullptr,
      nullptr, 0);
}

void append(void* to, void* from) {
  *static_cast<std::string*>(to) += *static_cast<std::string*>(from);
  static_cast<std::string*>(from)->clear();
}

// Not commutative, and of memory of its own: each value is taken once, by one thread, in the threads' order.
TEST(CombineTest, AllValuesInOneOrder) {
  for (const int n : {2, 3, 4, 5, 7, 16, 17, 21, 5, 3}) {
    std::string expected;
    for (int i = 0; i < n; ++i) expected += char('a' + i);
    on_team(n, [&](Worker* w) {
      if (w->team->groups == nullptr) return;  // a team that never has more than two threads
      const int me = w->thread_num;
      for (int round = 0; round < 100; ++round) {
        std::string mine(1, char('a' + me));
        if (combine(w, &mine, append)) {
          EXPECT_EQ(me, 0);
          EXPECT_EQ(mine, expected) << n << " threads";
        } else {
          EXPECT_NE(me, 0);
          EXPECT_TRUE(mine.empty()) << "its value was not taken yet";
        }
        if (round % 10 == 0) barrier(w);
      }
    });
  }
}

TEST(CombineTest, WhereItIsDone) {
  on_team(5, [&](Worker* w) {
    barrier(w);
    if (w->thread_num != 0) return;
    Team* team = w->team;
    const int few = g_few_combine, cpus = team->cpus;
    g_few_combine = 4, team->cpus = 5;
    EXPECT_TRUE(combines_along_tree(team));
    team->cpus = 4;
    EXPECT_FALSE(combines_along_tree(team)) << "one has no CPU";
    team->cpus = 5, g_config.cancellation = true;
    EXPECT_FALSE(combines_along_tree(team)) << "some may never come";
    g_config.cancellation = false, g_few_combine = 5;
    EXPECT_FALSE(combines_along_tree(team)) << "so few are through sooner one by one";
    g_few_combine = few, team->cpus = cpus;
  });
}

}  // namespace
