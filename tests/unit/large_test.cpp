// The timed platform (bench/large): what an access costs, by hand; and the runtime's own sources on it.
#include <gtest/gtest.h>

#include <vector>

#include "base/platform.h"
#include "flow/mutex.h"
#include "large/rows.h"
#include "large/timed.h"
#include "large/where.h"
#include "large/yardsticks.h"
#include "machine/load.h"

namespace {

using namespace large;

constexpr double kLine = 40;

Distances distances(int threads, double line = kLine, const char* machine = "numa:2 l3:2 core:16") {
  einkorn::machine::Machine m;
  std::string why;
  EXPECT_TRUE(einkorn::machine::load(machine, &m, &why)) << why;
  return {m, threads, line};
}

Word* words(int count) { return shared_array<Word>(size_t(count)); }

TEST(Timed, ALineGoesToAndFro) {
  const Own own;
  Word* w = words(1);
  constexpr int kRounds = 50;
  double begin = 0, end = 0;
  const auto pass = [&](uint32_t mine) {
    for (int i = 0; i < kRounds; ++i) {
      while (w->value.load(std::memory_order_acquire) % 2 != mine) {}
      if (i == 1 && mine == 0) begin = now();
      w->value.store(uint32_t(2 * i) + mine + 1, std::memory_order_release);
    }
    if (mine == 0) end = now();
  };
  run(distances(2), own, {[&] { pass(0); }, [&] { pass(1); }});
  // Each way: whoever writes takes the line from the other, who then fetches it.
  EXPECT_NEAR((end - begin) / (2 * (kRounds - 2)), 2 * kLine, 3);
}

// When each of so many threads but the first has done that.
template <class Body>
std::vector<double> each_done(int threads, const Own& own, Body body) {
  std::vector<double> done(static_cast<size_t>(threads));
  run_each(distances(threads), own, [&](int i) {
    body(i);
    done[size_t(i)] = now();
    if (i == 0) work(1e6);  // when it returns all is over
  });
  return done;
}

TEST(Timed, UpdatesOfOneLineTakeTurns) {
  const Own own;
  constexpr int kThreads = 16;
  Word* w = words(1);
  const std::vector<double> done = each_done(kThreads, own, [&](int i) {
    if (i > 0) w->value.fetch_add(1);
  });
  for (int i = 1; i < kThreads; ++i)
    EXPECT_NEAR(done[size_t(i)], own.memory + own.update + (i - 1) * (kLine + own.update), 1e-9) << i;
}

TEST(Timed, WhoReadsAlsoTakesTurnsButShortOnes) {
  const Own own;
  constexpr int kThreads = 16;
  Word* w = words(1);
  const std::vector<double> done = each_done(kThreads, own, [&](int i) {
    if (i == 0) return w->value.store(1);
    work(1000);
    w->value.load();
  });
  // The first one takes it from who wrote it; the others from a cache that has it by then.
  for (int i = 1; i < kThreads; ++i)
    EXPECT_NEAR(done[size_t(i)], 1000 + (i > 1 ? kLine + (i - 2) * own.turn : 0) + kLine + own.hit, 1e-9) << i;
}

TEST(Timed, StoresWaitInABuffer) {
  const Own own;
  Word* w = words(1);
  double stored = 0, drained = 0;
  uint32_t own_view = 0;
  run(distances(2), own,
      {[&] {
         work(1000);
         w->value.store(1, std::memory_order_release);
         stored = now() - 1000;
         own_view = w->value.load(std::memory_order_relaxed);
         const double before = now();
         model::full_fence();
         drained = now() - before;
       },
       [&] { w->value.load(); }});
  EXPECT_NEAR(stored, own.store, 1e-9);
  EXPECT_EQ(own_view, 1u);
  EXPECT_NEAR(drained, kLine + own.fence, 2) << "until the other one's copy is gone";
}

TEST(Timed, SleepersAreWoken) {
  const Own own;
  Word* w = words(1);
  double woken = 0, woke = 0;
  const Outcome out = run(distances(2), own,
                          {[&] {
                             model::futex_wait(&w->value, 0, -1);
                             woken = now();
                           },
                           [&] {
                             work(10'000);
                             w->value.store(1, std::memory_order_release);
                             const double before = now();
                             model::futex_wake(&w->value, 1);
                             woke = now() - before;
                           }});
  EXPECT_FALSE(out.stuck);
  EXPECT_GE(woke, own.system_call + own.wake_call);
  EXPECT_NEAR(woken, 10'000 + woke + own.wake, 2);
}

TEST(Timed, ASleepMayHaveALimit) {
  Word* w = words(1);
  const Outcome out = run(distances(1), Own{}, {[&] { model::futex_wait(&w->value, 0, 5000); }});
  EXPECT_FALSE(out.stuck);
  EXPECT_NEAR(out.end, 5000 + Own{}.system_call, 1);
}

TEST(Timed, NobodyCanGoOn) {
  Word* w = words(1);
  EXPECT_TRUE(run(distances(1), Own{}, {[&] { model::futex_wait(&w->value, 0, -1); }}).stuck);
}

TEST(Distances, NeighboursAreNear) {
  const Distances d = distances(64, 0);
  EXPECT_EQ(d.line(3, 3), 0);
  EXPECT_LT(d.line(0, 15), d.line(0, 16)) << "beyond the cache that they share";
  EXPECT_LT(d.line(0, 16), d.line(0, 32)) << "on another node";
  EXPECT_EQ(distances(16, 40).barrier_bound(), 4 * 40);
}

TEST(Timed, UpdatesAreCountedByLine) {
  Word* w = words(2);
  uint32_t most = 0;
  run_each(distances(4), Own{}, [&](int i) {
    w[0].value.fetch_add(1);
    if (i != 0) return;
    work(1000);
    count_updates();
    for (int k = 0; k < 3; ++k) w[1].value.fetch_add(1);
    w[0].value.fetch_add(1);
    most = most_updates();
  });
  EXPECT_EQ(most, 3u);
}

// The runtime itself. However many threads there are, no line has to make more than some trips.
// What threads waited for lines in which others had written something else while that ran.
template <class Run>
double shared_ns(Run run) {
  Waits::forget();
  g_asks_where = true;
  run();
  g_asks_where = false;
  return Waits::shared_ns();
}

TEST(Timed, WordsThatShareALineAreFound) {
  const Own own;
  Word *a = words(1), *b = words(1);
  auto one_writes = [&](std::atomic<uint32_t>* read) {
    return shared_ns([&] {
      each_done(2, own, [&](int i) {
        for (int k = 0; k < 10; ++k) {
          if (i == 0) a->value.store(uint32_t(k)), work(1000);
          else work(1000), (void)read->load();
        }
      });
    });
  };
  EXPECT_EQ(one_writes(&a->value), 0);
  EXPECT_EQ(one_writes(&b->value), 0);
  EXPECT_NEAR(one_writes(&a->value + 2), 10 * kLine, 2 * kLine);
}

// Who waits in a barrier, and who comes to a region or goes, reads nothing that lies beside what others write then:
// some hundred ns a thread in all. (20 us in barriers, 4.5 in regions when what tells of tasks was in the barrier's
// line.)
TEST(LargeRows, FewWaitForWhatLiesBesideWhatTheyWant) {
  constexpr int kThreads = 64;
  const Distances d = distances(kThreads, 0, "epyc-2x64-nps4");
  for (const Row& row : rows()) {
    const std::string name = row.name;
    if (name != "barrier" && name != "region") continue;
    const double ns = shared_ns([&] { row.measure(d, Own{}); }) / kThreads;
    EXPECT_LT(ns, 2000) << name;
  }
}

TEST(LargeRows, NoLineIsUpdatedByAll) {
  const Distances d = distances(192, 0, "uv2000-24x8");
  for (const Row& row : rows())
    for (const char* name : {"barrier", "region", "single", "reduce"})
      if (row.name == std::string(name)) {
        const Figure f = row.measure(d, Own{});
        EXPECT_GT(f.updates, 0) << name;
        const int barriers = name == std::string("reduce") ? 2 : 1;
        EXPECT_LE(f.updates, 8 * barriers) << name;
      }
}

// Not when its creator has made all others: 0.74 then.
TEST(LargeRows, TheFirstOfManyThatFollowEachOtherBeginsAtOnce) {
  const Distances d = distances(64, 0);
  for (const Row& row : rows())
    if (row.name == std::string("wavefront")) {
      EXPECT_GT(row.measure(d, Own{}).ours, 0.85);
    }
}

TEST(LargeRows, AreWhatTheyAreAgain) {
  const Distances d = distances(16, 0);
  for (const Row& row : rows()) {
    const Figure f = row.measure(d, Own{}), again = row.measure(d, Own{});
    EXPECT_FALSE(f.stuck) << row.name;
    EXPECT_GT(f.ours, 0) << row.name;
    // But for where malloc has put the second run's blocks: a word may lie in another line there.
    EXPECT_NEAR(f.ours, again.ours, 1e-6 * f.ours) << row.name << ": the same each time";
    if (row.is_part) {
      EXPECT_LE(f.ours, 1) << row.name;
    }
    if (f.bound > 0) {
      EXPECT_GE(f.ours, f.bound) << row.name;
    }
  }
}

// In a large team: some times an MCS lock's time, not dozens as where all looked at the lock.
TEST(LargeRows, ManyWaitForALockInTurn) {
  for (const char* machine : {"uv2000-24x8", "numa:8 l3:3 core:8"})
    for (const Row& row : rows())
      if (row.name == std::string("critical")) {
        const Figure f = row.measure(distances(128, 0, machine), Own{});
        EXPECT_LT(f.ours, 10 * f.best) << machine;
      }
}

// How many entries of a lock 96 threads have in a millisecond, when one of those that wait in turn is away for its end.
int entries_while_away(int which) {
  using namespace einkorn::flow;
  constexpr int kThreads = 96;
  Onlooker::forget();
  auto* mutex = new (shared_array<Word>(1)) Mutex;
  int entries = 0;
  run_each(distances(kThreads), Own{}, [&](int i) {
    work(i == 0 ? 2e4 : i);  // the others are a crowd by then
    if (i == 0) {
      if (which == 0) return work(1e6);
      LockTurn away(LockQueue::of(mutex));
      while (!away.is_first()) work(10);
      EXPECT_TRUE(LockQueue::of(mutex).is_for(mutex));
      entries = 0;
      return work(1e6);
    }
    for (;;) {
      mutex->lock_in_turn(Mutex::holder(uint32_t(i)), [](int pauses) { return pauses; });
      ++entries;
      mutex->unlock();
      work(100);
    }
  });
  return entries;
}

TEST(LocksInTurn, OneThatIsAwayHoldsUpNobodyForLong) {
  const int all = entries_while_away(0), some = entries_while_away(1);
  EXPECT_GT(some, all / 2);
}

}  // namespace
