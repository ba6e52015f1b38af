// Sleep and wake of threads that are in no team: nothing is lost, whoever sleeps, and all sleep when there is nothing.
// Interleavings: model/park_model_test.cpp.
#include "flow/park.h"

#include <gtest/gtest.h>
#include <thread>
#include <vector>

#include "flow/event.h"
#include "flow/linger.h"
#include "flow/mutex.h"

namespace {

using namespace einkorn::flow;
using namespace einkorn::base;

struct Member {
  ParkWord park{0};
  std::atomic<bool> fit{false};
};

// A pool of threads that count down what is pushed.
struct Pool {
  static constexpr int kMembers = 4;
  Group group;
  Member members[kMembers];
  std::atomic<int> queued{0}, taken{0};
  std::atomic<bool> over{false};

  Pool() { group.number = 7; }
  bool take() {
    int n = queued.load(std::memory_order_acquire);
    while (n > 0)
      if (queued.compare_exchange_weak(n, n - 1)) return taken.fetch_add(1), true;
    return false;
  }
  auto member() {
    return [this](uint32_t i) { return &members[i]; };
  }
  static bool is_fit(const Member& m) { return m.fit.load(std::memory_order_relaxed); }

  void push() {
    queued.fetch_add(1, std::memory_order_release);
    light_fence();  // orders the push before the load of idle; pairs with heavy_fence() in Sleep
    if (parked(group.idle.load(std::memory_order_relaxed)) != 0)
      wake_some(group, kMembers, 0, ParkState::woken, member(), [](const Member&) { return true; });
  }
  void end() {
    over.store(true);
    full_fence();  // orders the store before the loads of park; pairs with the fence in Sleep
    wake_group(group, kMembers, 1, member());
  }
  void serve(int i) {
    Member& me = members[i];
    while (!over.load(std::memory_order_acquire)) {
      if (take()) continue;
      group.idle.fetch_add(kSearching);
      while (!over.load(std::memory_order_acquire) && queued.load(std::memory_order_acquire) == 0) {
        Sleep sleep(group, me.park);
        sleep.fence([] { return true; });
        if (!over.load(std::memory_order_acquire) && queued.load(std::memory_order_acquire) == 0) sleep.wait(-1);
        sleep.end();
      }
      group.idle.fetch_sub(kSearching);
    }
  }
};

class ParkTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { fences_init(); }
};

TEST_F(ParkTest, NothingIsLostInAPoolWithoutATeam) {
  auto pool = std::make_unique<Pool>();
  std::vector<std::thread> threads;
  for (int i = 0; i < Pool::kMembers; ++i) threads.emplace_back([&, i] { pool->serve(i); });
  constexpr int kItems = 2000;
  for (int i = 0; i < kItems; ++i) {
    pool->push();
    if (i % 4 == 0)
      while (pool->taken.load() != i + 1) std::this_thread::yield();  // so that they fall asleep
  }
  while (pool->taken.load() != kItems) std::this_thread::yield();
  while (parked(pool->group.idle.load()) != Pool::kMembers) std::this_thread::yield();  // all sleep
  EXPECT_EQ(searching(pool->group.idle.load()), 0u);
  pool->end();
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(pool->group.idle.load(), 0u);
  for (const Member& m : pool->members) EXPECT_EQ(park_state(m.park.load()), ParkState::awake);
}

// A thread that is told to sleep in that group.
void lie_down(Group& g, Member& m) { m.park = park_word(g, ParkState::asleep), g.idle += kParked; }

TEST_F(ParkTest, WakesWhoFitsAndSleepsInThatGroup) {
  Pool pool;
  Group other;
  other.number = 8;
  auto fits = [](const Member& m) { return Pool::is_fit(m); };
  auto wakes = [&](auto&& who) { return wake_some(pool.group, 4, 1, ParkState::woken, pool.member(), who); };
  EXPECT_FALSE(wakes([](const Member&) { return true; })) << "nobody sleeps";
  lie_down(other, pool.members[1]);
  EXPECT_FALSE(wakes([](const Member&) { return true; })) << "that one sleeps elsewhere";
  lie_down(pool.group, pool.members[2]);
  EXPECT_FALSE(wakes(fits));
  lie_down(pool.group, pool.members[0]);
  pool.members[0].fit = true;
  EXPECT_TRUE(wakes(fits));
  EXPECT_EQ(park_state(pool.members[0].park), ParkState::woken);
  EXPECT_EQ(park_state(pool.members[2].park), ParkState::asleep);
  EXPECT_TRUE(take_from_sleep(pool.group, pool.members[2].park));
  EXPECT_FALSE(take_from_sleep(pool.group, pool.members[2].park)) << "once";
  EXPECT_FALSE(take_from_sleep(pool.group, pool.members[1].park));
  wake(pool.members[1].park);  // wherever
  EXPECT_EQ(park_state(pool.members[1].park), ParkState::woken);
}

TEST_F(ParkTest, TheWatchIsPassedToASleeperOrGivenUp) {
  Pool pool;
  auto fits = [](const Member& m) { return Pool::is_fit(m); };
  pool.group.watched = true;
  pass_watch(pool.group, 4, pool.member(), fits);
  EXPECT_FALSE(pool.group.watched) << "nobody sleeps";
  pool.group.watched = true;
  for (Member& m : pool.members) lie_down(pool.group, m);
  pool.members[3].fit = true;
  pass_watch(pool.group, 4, pool.member(), fits);
  EXPECT_TRUE(pool.group.watched);
  EXPECT_EQ(park_state(pool.members[3].park), ParkState::made_watcher) << "who fits comes first";
  pass_watch(pool.group, 4, pool.member(), fits);
  EXPECT_EQ(park_state(pool.members[0].park), ParkState::made_watcher);
  Sleep sleep(pool.group, pool.members[1].park);
  EXPECT_FALSE(sleep.becomes_watcher()) << "there is one";
  pool.group.watched = false;
  EXPECT_TRUE(sleep.becomes_watcher());
  EXPECT_FALSE(sleep.end());
}

TEST_F(ParkTest, WantsWorkWhereACpuIsFreeOrSomebodyLooks) {
  EXPECT_FALSE(wants_work(0, 4, 4));
  EXPECT_TRUE(wants_work(kSearching, 4, 1));
  EXPECT_TRUE(wants_work(kParked, 4, 4));
  EXPECT_FALSE(wants_work(kParked, 4, 3)) << "three are awake on three CPUs";
  EXPECT_TRUE(wants_work(3 * kParked, 2, 1)) << "late sleepers of a larger group";
}

// Sixteen members, four to a count, and these in one above.
TEST_F(ParkTest, NeighboursCountThemselvesAndTheGroupOnlyWhetherAnySearches) {
  Group group;
  Searchers above, near[4];
  for (Searchers& s : near) s.above = &above;
  for (int i = 0; i < 15; ++i) EXPECT_EQ(begin_search(group, &near[i / 4]), kSearching);
  EXPECT_EQ(above.count.load(), 4u);
  EXPECT_EQ(searching_about(group.idle, &near[0], 4), 16u);
  EXPECT_EQ(searching_about(group.idle, &near[3], 4), 15u) << "the others may all search where one of its own does not";
  for (int i = 0; i < 14; ++i) EXPECT_EQ(end_search(group, &near[i / 4]), kSearching);
  EXPECT_EQ(searching_about(group.idle, &near[3], 4), 1u);
  ParkWord park{0};
  group.number = 1;
  {
    Sleep sleep(group, park, &near[3]);
    EXPECT_EQ(group.idle.load(), kParked);
    EXPECT_EQ(above.count.load(), 0u);
    EXPECT_FALSE(sleep.end());
  }
  EXPECT_EQ(group.idle.load(), kSearching);
  EXPECT_EQ(end_search(group, &near[3]), 0u);
  EXPECT_EQ(begin_search(group, nullptr), kSearching);
  EXPECT_EQ(searching_about(3 * kSearching, nullptr, 4), 3u);
}

TEST_F(ParkTest, NapsGrow) {
  int64_t nap = next_nap(-1), all = 0;
  EXPECT_EQ(nap, 1'000'000);
  for (int i = 0; i < 20; ++i) all += nap, nap = next_nap(nap);
  EXPECT_EQ(nap, 100'000'000);
  EXPECT_GT(all, 1'000'000'000);
}

TEST_F(ParkTest, WhoIsBetweenGroupsIsWoken) {
  ParkWord park{0};
  std::atomic<int> assigned{0}, seen{0};
  std::thread sleeper([&] {
    for (int i = 1; i <= 200; ++i) {
      park_until(park, [&] { return assigned.load(std::memory_order_acquire) >= i; });
      seen.store(i);
    }
  });
  for (int i = 1; i <= 200; ++i) {
    assigned.store(i, std::memory_order_release);
    full_fence();  // orders the store of assigned before the load of park; pairs with park_until()
    wake(park);
    while (seen.load() < i) std::this_thread::yield();
  }
  sleeper.join();
}

TEST_F(ParkTest, EventsAreSeen) {
  std::atomic<uint32_t> event{0}, waiters{0};
  std::atomic<int> at{0};
  auto follow = [&](int from) {
    for (int i = from; i < 400; i += 2) {
      wait_event(event, waiters, [](int) { return false; }, [&] { return at.load(std::memory_order_acquire) == i; });
      at.store(i + 1, std::memory_order_release);
      signal(event, waiters);
    }
  };
  std::thread one([&] { follow(0); }), two([&] { follow(1); });
  one.join();
  two.join();
  EXPECT_EQ(at.load(), 400);
  EXPECT_EQ(waiters.load(), 0u);
}

TEST_F(ParkTest, YieldsNoLongerThanItPays) {
  uint64_t now = 0;
  EXPECT_FALSE(yield_briefly([&] { return now += 50'000; }, [] { return false; }));
  EXPECT_LE(now, 300'000u);
  int looks = 0;
  EXPECT_TRUE(yield_briefly([&] { return now; }, [&] { return ++looks == 5; }));
}

}  // namespace
