// Barriers, sleeping and waking, teams used again and again: the code of barrier.cpp, help.h, sleep.h, team.cpp and
// worker.cpp in all interleavings within the bounds. A lost wake-up shows as a hang ("no thread can go on"): nothing
// here has a time limit.
#include <gtest/gtest.h>

#include "model/rig.h"
#include "runtime/sync/barrier.h"

namespace {

using namespace rig;
using rt::Worker;

void expect_right(const model::Result& r) {
  EXPECT_FALSE(r.failed) << r.message;
  EXPECT_TRUE(r.exhausted) << "not all seen in " << r.executions << " executions";
}

struct Counts {
  model::Atomic<int> arrived{0}, ran{0}, second{0};
};
Counts* make_counts() { return new (model::arena(sizeof(Counts))) Counts; }

model::Result regions_of_two(model::Options options) {
  return model::explore(options, [] {
    return regions(2, {0, 2}, [](Worker* w) {
      Counts* c = make_counts();
      for (int r = 0; r < 2; ++r) {
        parallel(w, 2, [=](Worker*) { c->arrived.fetch_add(1); });
        model::check(c->arrived.load() == 2 * (r + 1), "the region ended before all were through");
      }
    });
  });
}
TEST(SleepModel, RegionsOfTwo) { expect_right(regions_of_two({2, 1})); }
// An update and no fence behind it before the load of idle: x86 wakes the sleeper, Arm may not.
TEST(SleepModel, CatchesUpdatesTakenForFences) {
  const auto without = [](model::Memory memory) {
    model::Options options{2, 1};
    options.memory = memory;
    einkorn::g_updates_are_fences = true;
    model::Result r = regions_of_two(options);
    einkorn::g_updates_are_fences = false;
    return r;
  };
  expect_right(without(model::Memory::tso));
  const model::Result r = without(model::Memory::weak);
  EXPECT_TRUE(r.failed) << r.executions;
  EXPECT_NE(r.message.find("no thread can go on"), std::string::npos) << r.message;
}

TEST(SleepModel, BarrierInARegion) {
  expect_right(model::explore({2, 1}, [] {
    return regions(2, {0, 1}, [](Worker* w) {
      Counts* c = make_counts();
      parallel(w, 2, [=](Worker* me) {
        c->arrived.fetch_add(1);
        rt::barrier(me);
        model::check(c->arrived.load() == 2, "through the barrier before all arrived");
        c->second.fetch_add(1);
        rt::barrier(me);
        model::check(c->second.load() == 2, "through the second barrier before all arrived");
      });
    });
  }));
}

// With more threads than CPUs: a new thread counts as one that waits for a CPU until it has begun. Those of the region
// before do not.
TEST(SleepModel, WhoHasNotBegunIsCounted) {
  static bool one_had_not;
  one_had_not = false;
  expect_right(model::explore({1, 1}, [] {
    return regions(2, {0, 2}, [](Worker* w) {
      rt::g_cpus = 1;
      for (int region = 0; region < 2; ++region)
        parallel(w, 2, [=](Worker* me) {
          const int unseen = me->team->unseen.load();
          model::check(region == 0 || unseen == 0, "an old thread is counted as one that has not begun");
          model::check(unseen == 0 || (unseen == 1 && me->thread_num == 0),
                       "who has begun is counted as one that has not");
          one_had_not |= unseen == 1;
          rt::barrier(me);
          model::check(me->team->unseen.load() == 0, "through a barrier one counts as not begun");
        });
    });
  }));
  EXPECT_TRUE(one_had_not);
}

// In larger teams neighbours gather first: here two and one, two and two, and at two levels. A region in which all do
// each(worker, counts); task: the second thread makes one before that.
template <class Each>
model::Result in_pairs(int threads, model::Options options, bool task, Each each) {
  rt::g_arrivals_a_line = 2;
  std::vector<int> regions_of_each(size_t(threads), 1);
  regions_of_each[0] = 0;
  const model::Result r = model::explore(options, [=] {
    return regions(threads, regions_of_each, [=](Worker* w) {
      Counts* c = make_counts();
      parallel(w, threads, [=](Worker* me) {
        if (task && me->thread_num == 1) spawn(me, [](void* data) { static_cast<Counts*>(data)->ran.fetch_add(1); }, c);
        each(me, c);
      });
      model::check(c->ran.load() == int(task), "the region ended before its task");
    });
  });
  rt::g_arrivals_a_line = einkorn::base::tunables::kArrivalsALine;
  return r;
}
model::Result gathered(int threads, model::Options options, bool task) {
  return in_pairs(threads, options, task, [=](Worker* me, Counts* c) {
    c->arrived.fetch_add(1);
    rt::barrier(me);
    model::check(c->arrived.load() == threads, "through the barrier before all arrived");
    model::check(c->ran.load() == int(task), "the barrier ended before its task");
  });
}
TEST(SleepModel, BarrierWhereThreeGather) { expect_right(gathered(3, {1, 1}, false)); }
// Awake, those who have gathered look at what is passed on to them; teams of three, four, and three again.
TEST(SleepModel, BarrierWhereThoseWhoGatherStayAwake) {
  rt::g_arrivals_a_line = 2;
  g_awake = true;
  const model::Result r = model::explore({0, 0}, [] {
    return regions(4, {0, 3, 3, 1}, [](Worker* w) {
      Counts* c = make_counts();
      int all = 0;
      for (const int n : {3, 4, 3}) {
        parallel(w, n, [=](Worker*) { c->arrived.fetch_add(1); });
        model::check(c->arrived.load() == (all += n), "the region ended before all were through");
      }
    });
  });
  g_awake = false;
  rt::g_arrivals_a_line = einkorn::base::tunables::kArrivalsALine;
  expect_right(r);
}
TEST(SleepModel, BarrierWhereFourGather) { expect_right(gathered(4, {0, 0}, false)); }
TEST(SleepModel, BarrierWhereFiveGather) { expect_right(gathered(5, {0, 0}, false)); }
TEST(SleepModel, BarrierWhereThreeGatherWithATask) { expect_right(gathered(3, {1, 0}, true)); }

// With values, which come together on the way: thread 0 has all of them behind the barrier, and nobody goes on, whose
// own ones are gone then, before they are read.
model::Result reduced(int threads, model::Options options, bool task = false) {
  return in_pairs(threads, options, task, [=](Worker* me, Counts*) {
    auto* mine = new (model::arena(sizeof(model::Atomic<int>))) model::Atomic<int>(1 << me->thread_num);
    const auto add = [](void* to, void* from) {
      auto* sum = static_cast<model::Atomic<int>*>(to);
      const int other = static_cast<model::Atomic<int>*>(from)->load(std::memory_order_relaxed);
      sum->store(sum->load(std::memory_order_relaxed) | other, std::memory_order_relaxed);
    };
    rt::reducing_barrier(me, {mine, add}, einkorn::record::Construct::barrier, nullptr, 0);
    if (me->thread_num == 0)
      model::check(mine->load(std::memory_order_relaxed) == (1 << threads) - 1, "a value is missing");
    mine->store(0, std::memory_order_relaxed);
  });
}
TEST(SleepModel, ReductionOfThree) { expect_right(reduced(3, {1, 1})); }
TEST(SleepModel, ReductionOfThreeBesideATask) { expect_right(reduced(3, {1, 0}, true)); }
TEST(SleepModel, ReductionOfFour) { expect_right(reduced(4, {0, 0})); }

// And count themselves with their neighbours while they look for tasks.
TEST(SleepModel, ThreeWhoSearchWithTheirNeighbours) {
  rt::g_searchers_at_team = 1;
  expect_right(gathered(3, {1, 0}, true));
  rt::g_searchers_at_team = einkorn::base::tunables::kSearchersAtTeam;
}

TEST(SleepModel, TasksEndInTheBarrier) {
  expect_right(model::explore({1, 1}, [] {
    return regions(2, {0, 1}, [](Worker* w) {
      Counts* c = make_counts();
      parallel(w, 2, [=](Worker* me) {
        if (me->thread_num == 0)
          for (int i = 0; i < 2; ++i) spawn(me, [](void* data) { static_cast<Counts*>(data)->ran.fetch_add(1); }, c);
        rt::barrier(me);
        model::check(c->ran.load() == 2, "the barrier ended before its tasks");
      });
    });
  }));
}

// A task that makes a task: counted as created before it is counted as executed.
TEST(SleepModel, TasksOfTasksEndInTheBarrier) {
  expect_right(model::explore({1, 1}, [] {
    return regions(2, {0, 1}, [](Worker* w) {
      Counts* c = make_counts();
      parallel(w, 2, [=](Worker* me) {
        if (me->thread_num == 1)
          spawn(
              me,
              [](void* data) {
                spawn(rt::self(), [](void* inner) { static_cast<Counts*>(inner)->ran.fetch_add(1); }, data);
              },
              c);
      });
      model::check(c->ran.load() == 1, "the region ended before its tasks");
    });
  }));
}

// A team that shrinks and grows: late threads must neither disturb the smaller region nor be disturbed by it.
TEST(SleepModel, SizesChange) {
  expect_right(model::explore({1, 0}, [] {
    return regions(3, {0, 2, 1}, [](Worker* w) {
      Counts* c = make_counts();
      int sum = 0;
      for (int n : {3, 2}) {
        parallel(w, n, [=](Worker* me) {
          c->arrived.fetch_add(1);
          if (me->thread_num == 1) spawn(me, [](void* data) { static_cast<Counts*>(data)->ran.fetch_add(1); }, c);
        });
        sum += n;
        model::check(c->arrived.load() == sum, "the region ended before all were through");
      }
      model::check(c->ran.load() == 2, "the region ended before its tasks");
    });
  }));
}

// One pushes and says no more; the other, asleep in the barrier or on its way there, must come: the pusher's own code
// waits for the task (as a program may not, but a lost wake-up shows at once).
model::Result push_and_wait(model::Options options) {
  return model::explore(options, [] {
    return regions(2, {0, 1}, [](Worker* w) {
      Counts* c = make_counts();
      parallel(w, 2, [=](Worker* me) {
        if (me->thread_num != 0) return;
        spawn(me, [](void* data) { static_cast<Counts*>(data)->ran.fetch_add(1); }, c);
        while (c->ran.load() == 0) model::pause();
      });
    });
  });
}
TEST(SleepModel, APushWakesASleeper) { expect_right(push_and_wait({1, 1})); }
TEST(SleepModel, CatchesASleepWithoutHeavyFence) {
  model::Options weak{1, 1};
  weak.heavy_fences = false;
  auto r = push_and_wait(weak);
  EXPECT_TRUE(r.failed);
  EXPECT_NE(r.message.find("no thread can go on"), std::string::npos) << r.message;
}

// A program has forbidden itself membarrier: regions that begin after that are fenced, and need no heavy fence.
// light_again: a wrong runtime, whose fenced team passes light fences only.
model::Result push_and_wait_fenced(model::Options options, bool light_again, int light_regions = 0) {
  return model::explore(options, [=] {
    return regions(2, {0, light_regions + 1}, [=](Worker* w) {
      Counts* c = make_counts();
      for (int r = 0; r <= light_regions; ++r) {
        if (r == light_regions) einkorn::g_asymmetric = false;
        parallel(w, 2, [=](Worker* me) {
          if (me->thread_num != 0) return;
          model::check(me->team->fenced.load() == (r == light_regions), "fenced from the next region on");
          if (light_again) einkorn::g_asymmetric = true;
          spawn(me, [](void* data) { static_cast<Counts*>(data)->ran.fetch_add(1); }, c);
          while (c->ran.load() != r + 1) model::pause();
        });
      }
    });
  });
}
TEST(SleepModel, APushWakesASleeperOfAFencedTeam) {
  model::Options weak{1, 1};
  weak.heavy_fences = false;
  expect_right(push_and_wait_fenced(weak, false));
}
TEST(SleepModel, FencedFromTheSecondRegionOn) { expect_right(push_and_wait_fenced({1, 0}, false, 1)); }
TEST(SleepModel, CatchesAFencedTeamWithLightFences) {
  auto r = push_and_wait_fenced({1, 1}, true);
  EXPECT_TRUE(r.failed);
  EXPECT_NE(r.message.find("no thread can go on"), std::string::npos) << r.message;
}

// Fewer CPUs than threads: a push wakes nobody, as enough are awake; but these are in user code that waits for a task
// that only a sleeper can run. Each sleeper must look up in time, whoever of them has looked up before.
TEST(SleepModel, EachSleeperLooksUp) {
  expect_right(model::explore({1, 0}, [] {
    return regions(
        3, {0, 1, 1},
        [](Worker* w) {
          Counts* c = make_counts();
          parallel(w, 3, [=](Worker* me) {
            if (me->thread_num != 0) return;
            for (int i = 0; i < 2; ++i)
              spawn(
                  me,
                  [](void* data) {
                    auto* counts = static_cast<Counts*>(data);
                    counts->ran.fetch_add(1);
                    while (counts->ran.load() != 2) model::pause();
                  },
                  c);
            while (c->ran.load() != 2) model::pause();
          });
        },
        1);
  }));
}

TEST(SleepModel, WorksharingRingAndOrdered) {
  expect_right(model::explore({2, 1}, [] {
    return regions(2, {0, 1}, [](Worker* w) {
      Counts* c = make_counts();
      parallel(w, 2, [=](Worker* me) {
        me->slot->shares_met = 0;
        rt::LoopSpec spec;
        spec.ordered = true;
        spec.iterations = 3;
        spec.chunk = 1;
        rt::share_enter(me, spec, 0);
        while (rt::share_next(me)) {
          rt::ordered_wait(me, nullptr, 0);
          model::check(c->arrived.load() == int(me->view.first), "ordered: out of order");
          c->arrived.store(int(me->view.first) + 1);
        }
        rt::share_leave(me);
      });
      model::check(c->arrived.load() == 3, "iterations lost");
    });
  }));
}

TEST(SleepModel, SingleIsRunOnce) {
  expect_right(model::explore({1, 1}, [] {
    return regions(2, {0, 1}, [](Worker* w) {
      Counts* c = make_counts();
      parallel(w, 2, [=](Worker* me) {
        if (rt::single_enter(me)) c->ran.fetch_add(1);
        if (rt::single_enter(me)) c->second.fetch_add(1);
      });
      model::check(c->ran.load() == 1 && c->second.load() == 1, "a single was run twice or not at all");
    });
  }));
}

}  // namespace
