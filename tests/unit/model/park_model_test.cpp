// Sleep and wake of src/flow/park.h by itself, with no team about it, in all interleavings within the bounds. A lost
// wake-up shows as a hang ("no thread can go on").
#include <gtest/gtest.h>

#include "flow/park.h"
#include "model/model.h"

namespace {

using namespace einkorn::flow;
using namespace einkorn::base;

struct Member {
  ParkWord park{0};
};
struct Pool {
  Group group;
  Member members[2];
  std::atomic<int> queued{0};
  std::atomic<int> over{0};
  auto member() {
    return [this](uint32_t i) { return &members[i]; };
  }
};
Pool* new_pool() {
  g_asymmetric = true;
  auto* p = new (model::arena(sizeof(Pool))) Pool;
  p->group.number = 1;
  return p;
}
constexpr auto anybody = [](const Member&) { return true; };

void expect_right(const model::Result& r) {
  EXPECT_FALSE(r.failed) << r.message;
  EXPECT_TRUE(r.exhausted) << "not all seen in " << r.executions << " executions";
}
void expect_hang(const model::Result& r) {
  EXPECT_TRUE(r.failed);
  EXPECT_NE(r.message.find("no thread can go on"), std::string::npos) << r.message;
}

// Takes so many, and sleeps whenever there is none.
void take(Pool& p, int i, int items) {
  for (; items > 0; --items) {
    p.group.idle.fetch_add(kSearching);
    while (p.queued.load() == 0) {
      Sleep sleep(p.group, p.members[i].park);
      sleep.fence([] { return true; });
      if (p.queued.load() == 0) sleep.wait(-1);
      sleep.end();
    }
    p.group.idle.fetch_sub(kSearching);
    p.queued.fetch_sub(1);
  }
}
// Says so with a plain store, as an owner of a deque does.
void push(Pool& p, bool fence = true) {
  p.queued.store(p.queued.load() + 1, std::memory_order_release);
  if (fence) light_fence();  // orders the push before the load of idle; pairs with heavy_fence() in Sleep
  if (parked(p.group.idle.load()) != 0) wake_some(p.group, 1, 0, ParkState::woken, p.member(), anybody);
}

model::Result pushes(model::Options options) {
  return model::explore(options, [] {
    Pool* p = new_pool();
    model::Program program;
    program.threads = {[=] { take(*p, 0, 1); }, [=] { push(*p); }};
    program.at_end = [=] { model::check(p->group.idle.load() == 0, "counted as idle"); };
    return program;
  });
}
TEST(ParkModel, APushWakesASleeper) { expect_right(pushes({2, 2})); }
TEST(ParkModel, CatchesAPushWithoutAHeavyFenceOnTheOtherSide) {
  model::Options weak{2, 2};
  weak.heavy_fences = false;
  expect_hang(pushes(weak));
}

// Two of a large group: neighbours, or with a count of their own each below one.
struct Near {
  Searchers all, each[2];
  Searchers* of(int i, bool neighbours) { return &each[neighbours ? 0 : i]; }
};

// One wants to sleep. Another has found something, and leaves; who pushes relies on whoever searches. looks: the one
// that leaves last does so for what was pushed meanwhile.
model::Result push_while_one_leaves(bool neighbours, bool looks) {
  return model::explore({3, 2}, [=] {
    Pool* p = new_pool();
    Near* n = new (model::arena(sizeof(Near))) Near;
    n->each[0].above = n->each[1].above = &n->all;
    auto wake_for = [=](uint64_t idle) {
      if (searching(idle) == 0 && parked(idle) != 0) wake_some(p->group, 1, 0, ParkState::woken, p->member(), anybody);
    };
    model::Program program;
    program.threads = {[=] {
                         Searchers* const near = n->of(0, neighbours);
                         begin_search(p->group, near);
                         while (p->queued.load() == 0) {
                           Sleep sleep(p->group, p->members[0].park, near);
                           sleep.fence([] { return false; });
                           if (p->queued.load() == 0) sleep.wait(-1);
                           sleep.end();
                         }
                         end_search(p->group, near);
                       },
                       [=] {
                         begin_search(p->group, n->of(1, neighbours));
                         const uint64_t now = end_search(p->group, n->of(1, neighbours));
                         if (looks && p->queued.load() != 0) wake_for(now);
                       },
                       [=] {
                         p->queued.store(1, std::memory_order_release);
                         full_fence();  // orders the push before the load of idle; pairs with Sleep::fence()
                         wake_for(p->group.idle.load());
                       }};
    program.at_end = [=] {
      model::check(p->group.idle.load() == 0, "counted as idle");
      for (const Searchers* s : {&n->all, &n->each[0], &n->each[1]})
        model::check(s->count.load() == 0, "counted as searching");
    };
    return program;
  });
}
TEST(ParkModel, APushWakesASleeperOfALargeGroup) {
  for (bool neighbours : {true, false}) expect_right(push_while_one_leaves(neighbours, true));
}
TEST(ParkModel, CatchesWhoLeavesWithoutALook) {
  for (bool neighbours : {true, false}) expect_hang(push_while_one_leaves(neighbours, false));
}

void sleep_until_over(Pool& p, int i) {
  p.group.idle.fetch_add(kSearching);
  while (p.over.load() == 0) {
    Sleep sleep(p.group, p.members[i].park);
    sleep.fence([] { return false; });
    if (p.over.load() == 0) sleep.wait(-1);
    sleep.end();
  }
  p.group.idle.fetch_sub(kSearching);
}

// All at once, by the bell: also who has read the bell and not yet said that it sleeps, and who is woken alone just
// then.
model::Result rings(bool says_late) {
  return model::explore({2, 1}, [=] {
    Pool* p = new_pool();
    model::Program program;
    program.threads = {[=] { sleep_until_over(*p, 0); }, [=] { sleep_until_over(*p, 1); },
                       [=] {
                         if (!says_late) p->over.store(1, std::memory_order_release);
                         full_fence();  // orders the store of over before the loads of park; pairs with Sleep::fence()
                         wake_group(p->group, 2, 5, p->member());
                         if (says_late) p->over.store(1, std::memory_order_release);
                       }};
    return program;
  });
}
TEST(ParkModel, TheBellWakesAll) { expect_right(rings(false)); }
TEST(ParkModel, CatchesWhoSaysWhyAfterTheBell) { expect_hang(rings(true)); }

// The watcher passes the watch on while another falls asleep: one of them is the watcher, or none sleeps.
TEST(ParkModel, TheWatchIsNotLost) {
  expect_right(model::explore({3, 2}, [] {
    Pool* p = new_pool();
    p->group.watched = true;
    model::Program program;
    program.threads = {[=] { pass_watch(p->group, 1, p->member(), anybody); },
                       [=] {
                         p->group.idle.fetch_add(kSearching);
                         Sleep sleep(p->group, p->members[0].park);
                         sleep.fence([] { return false; });
                         const bool watches = sleep.becomes_watcher();
                         // Not asked here whether anybody watches: while the other looks for one nobody does.
                         p->over.store(watches);
                       }};
    program.at_end = [=] {
      const bool made = park_state(p->members[0].park.load()) == ParkState::made_watcher;
      model::check(p->group.watched.load(), "a sleeper, and nobody watches");
      model::check(made != bool(p->over.load()), "no watcher, or two");
    };
    return program;
  }));
}

model::Result assigns(bool fences) {
  return model::explore({model::kUnbounded, model::kUnbounded}, [=] {
    Pool* p = new_pool();
    model::Program program;
    program.threads = {[=] { park_until(p->members[0].park, [=] { return p->over.load() != 0; }); },
                       [=] {
                         p->over.store(1, std::memory_order_release);
                         if (fences) full_fence();  // orders the store before the load of park; pairs with park_until()
                         wake(p->members[0].park);
                       }};
    return program;
  });
}
// The end of such a sleep does not say whom to wake.
TEST(ParkModel, WhoSleepsInAGroupIsToWakeNobody) {
  expect_right(model::explore({model::kUnbounded, model::kUnbounded}, [] {
    Pool* p = new_pool();
    model::Program program;
    program.threads = {[=] { sleep_until_over(*p, 0); },
                       [=] {
                         p->over.store(1, std::memory_order_release);
                         full_fence();  // orders the store before the load of park; pairs with Sleep::fence()
                         model::check(!wake(p->members[0].park, {7, 3}), "others were left to it");
                       }};
    return program;
  }));
}
TEST(ParkModel, SleepersAreKeptInAWord) {
  for (const Sleepers it : {Sleepers{}, {1, 1}, {65'535, 16'383}, {40'000, 1}}) {
    const Sleepers found = Sleepers::of(it.word() | uint32_t(ParkState::woken));
    EXPECT_EQ(found.end, it.end);
    EXPECT_EQ(found.count, it.count);
  }
}
TEST(ParkModel, WhoIsInNoGroupIsWoken) { expect_right(assigns(true)); }
TEST(ParkModel, CatchesAnAssignmentWithoutFence) { expect_hang(assigns(false)); }

}  // namespace
