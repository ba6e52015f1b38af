// Cancellation: the barriers inside a region whose threads leave early, late or not at all, the barrier at its end, the
// region after it, and tasks that are discarded. All interleavings within the bounds; a lost wake-up shows as a hang.
#include <functional>

#include <gtest/gtest.h>

#include "model/rig.h"
#include "runtime/task/cancel.h"

namespace {

using namespace rig;
using rt::Worker;

void expect_right(const model::Result& r) {
  EXPECT_FALSE(r.failed) << r.message;
  EXPECT_TRUE(r.exhausted) << "not all seen in " << r.executions << " executions";
}

struct Counts {
  model::Atomic<int> before{0}, between{0}, after{0}, ran{0};
};
Counts* make_counts() { return new (model::arena(sizeof(Counts))) Counts; }

model::Program cancellable(int threads, std::vector<int> regions_of_each, std::function<void(Worker*)> primary) {
  model::Program p = regions(threads, std::move(regions_of_each), std::move(primary));
  rt::g_config.cancellation = true;
  return p;
}

// Between two regions of a team nobody is inside a barrier.
void expect_nobody_inside(const rt::Team* team) {
  model::check(uint32_t(team->inner_barrier.load()) == 0, "somebody still counts as inside a barrier of the region");
}

bool barrier_or_leave(Worker* w) { return rt::cancellable_barrier(w, {}, nullptr, 0); }

// A region as it should be, on a team that has seen a cancelled one.
void right_region(Worker* w, int n) {
  Counts* c = make_counts();
  parallel(w, n, [=](Worker* me) {
    c->before.fetch_add(1);
    bool cancelled = barrier_or_leave(me);
    model::check(!cancelled, "a new region is cancelled");
    model::check(c->before.load() == n, "through the barrier before all arrived");
    c->after.fetch_add(1);
    rt::barrier(me);
    model::check(c->after.load() == n, "through the second barrier before all arrived");
  });
}

TEST(CancelModel, BarriersWithoutACancel) {
  expect_right(model::explore({2, 1}, [] { return cancellable(2, {0, 1}, [](Worker* w) { right_region(w, 2); }); }));
}

// Who ended a region and is not in the next may ring for the end late: the others wait for something else by then, and
// what took them from their sleep must wake them. (That more of them may sleep than the ringer's region had threads
// takes four threads and two preemptions: too many runs. The soak found it.)
TEST(CancelModel, ALateRingFindsOthersInTheNextRegion) {
  expect_right(model::explore({2, 0}, [] {
    return cancellable(3, {0, 2, 1}, [](Worker* w) {
      Counts* c = make_counts();
      parallel(w, 3, [=](Worker*) { c->before.fetch_add(1); });
      parallel(w, 2, [=](Worker* me) {
        c->between.fetch_add(1);
        rt::barrier(me);
        model::check(c->between.load() == 2, "through the barrier before all arrived");
      });
    });
  }));
}

// One cancels instead of coming to the barrier, where the others may be asleep. The next region is a right one.
model::Result cancelled_barrier(model::Options options, int threads, bool again, bool cancels = true) {
  return model::explore(options, [=] {
    std::vector<int> served(size_t(threads), again ? 2 : 1);
    served[0] = 0;
    return cancellable(threads, served, [=](Worker* w) {
      rt::Team* team = nullptr;
      parallel(w, threads, [&, threads, cancels](Worker* me) {
        team = me->team;
        if (me->thread_num == threads - 1) {
          model::check(!cancels || rt::cancel(me, rt::kCancelParallel), "cancel does nothing");
          return;
        }
        model::check(barrier_or_leave(me), "through a barrier to which not all came");
        model::check(barrier_or_leave(me), "not cancelled any more");
      });
      expect_nobody_inside(team);
      if (again) right_region(w, threads);
    });
  });
}
TEST(CancelModel, ACancelLetsTheOthersGo) { expect_right(cancelled_barrier({2, 1}, 2, false)); }
TEST(CancelModel, TheRegionAfterACancelledOne) { expect_right(cancelled_barrier({1, 1}, 2, true)); }
TEST(CancelModel, ACancelLetsTwoOthersGo) { expect_right(cancelled_barrier({1, 0}, 3, false)); }
// Without the cancel the program is wrong, and hangs.
TEST(CancelModel, CatchesABarrierThatNobodyComesTo) {
  auto r = cancelled_barrier({1, 1}, 2, false, false);
  EXPECT_TRUE(r.failed);
  EXPECT_NE(r.message.find("no thread can go on"), std::string::npos) << r.message;
}

// A barrier that is no cancellation point holds for those that come to it: the third thread is gone.
TEST(CancelModel, PlainBarrierOfThoseThatAreLeft) {
  expect_right(model::explore({1, 0}, [] {
    return cancellable(3, {0, 1, 1}, [](Worker* w) {
      Counts* c = make_counts();
      rt::Team* team = nullptr;
      parallel(w, 3, [=, &team](Worker* me) {
        if (me->thread_num == 1) {
          rt::cancel(me, rt::kCancelParallel);
          return;
        }
        team = me->team;
        c->before.fetch_add(1);
        rt::barrier(me);
        model::check(c->before.load() == 2, "through the barrier before all that are left arrived");
      });
      expect_nobody_inside(team);
    });
  }));
}

// One leaves a barrier early, which another waits in: that one is alone then.
TEST(CancelModel, LeavingABarrierThatAnotherMayNotLeave) {
  expect_right(model::explore({1, 0}, [] {
    return cancellable(3, {0, 1, 1}, [](Worker* w) {
      Counts* c = make_counts();
      rt::Team* team = nullptr;
      parallel(w, 3, [=, &team](Worker* me) {
        team = me->team;
        if (me->thread_num == 1) rt::cancel(me, rt::kCancelParallel);
        if (me->thread_num == 0) barrier_or_leave(me);
        if (me->thread_num == 2) rt::barrier(me);
        c->after.fetch_add(1);
      });
      model::check(c->after.load() == 3, "the region ended before all were through");
      expect_nobody_inside(team);
    });
  }));
}

// As clang has it: who cancels comes to a barrier before it leaves.
TEST(CancelModel, CancelThenBarrier) {
  expect_right(model::explore({1, 1}, [] {
    return cancellable(2, {0, 2}, [](Worker* w) {
      rt::Team* team = nullptr;
      parallel(w, 2, [&](Worker* me) {
        team = me->team;
        if (me->thread_num == 0) rt::cancel(me, rt::kCancelParallel);
        barrier_or_leave(me);
      });
      expect_nobody_inside(team);
      right_region(w, 2);
    });
  }));
}

// Tasks of a cancelled region run or are discarded, none is lost, and what a started one had done stays done.
TEST(CancelModel, TasksOfACancelledRegion) {
  expect_right(model::explore({1, 1}, [] {
    auto p = cancellable(2, {0, 1}, [](Worker* w) {
      Counts* c = make_counts();
      parallel(w, 2, [=](Worker* me) {
        if (me->thread_num == 0) {
          rt::cancel(me, rt::kCancelParallel);
          return;
        }
        spawn(
            me,
            [](void* data) {
              static_cast<Counts*>(data)->ran.fetch_add(1);
              spawn(rt::self(), [](void* inner) { static_cast<Counts*>(inner)->between.fetch_add(1); }, data);
            },
            c);
        rt::barrier(me);
      });
      model::check(c->ran.load() <= 1 && c->between.load() <= c->ran.load(), "a discarded task's child ran");
    });
    p.at_end = [] { model::check(live_blocks() == 0, "a discarded task's memory is lost"); };
    return p;
  }));
}

TEST(CancelModel, TasksOfACancelledGroup) {
  expect_right(model::explore({1, 1}, [] {
    auto p = cancellable(2, {0, 1}, [](Worker* w) {
      Counts* c = make_counts();
      parallel(w, 2, [=](Worker* me) {
        if (me->thread_num != 0) return;
        rt::Taskgroup group;
        rt::taskgroup_begin(me, &group, nullptr, 0);
        spawn(
            me,
            [](void* data) {
              static_cast<Counts*>(data)->ran.fetch_add(1);
              rt::cancel(rt::self(), rt::kCancelTaskgroup);
            },
            c);
        spawn(me, [](void* data) { static_cast<Counts*>(data)->between.fetch_add(1); }, c);
        rt::taskgroup_end(me, nullptr, 0);
        c->after.store(c->ran.load() + c->between.load());
        spawn(me, [](void* data) { static_cast<Counts*>(data)->before.fetch_add(1); }, c);
      });
      model::check(c->before.load() == 1, "a task behind the cancelled group did not run");
      model::check(c->after.load() == c->ran.load() + c->between.load(), "the group ended before its tasks");
      model::check(c->ran.load() == 1, "the task that cancels did not run");
    });
    p.at_end = [] { model::check(live_blocks() == 0, "a discarded task's memory is lost"); };
    return p;
  }));
}

// Loops: the cancellation holds until the next barrier, for all threads, and no longer.
TEST(CancelModel, ACancelledLoopAndTheNext) {
  expect_right(model::explore({1, 1}, [] {
    return cancellable(2, {0, 1}, [](Worker* w) {
      Counts* c = make_counts();
      parallel(w, 2, [=](Worker* me) {
        for (int round = 0; round < 2; ++round) {
          rt::LoopSpec spec;
          spec.iterations = 2;
          spec.chunk = 1;
          rt::share_enter(me, spec, 0);
          while (rt::share_next(me)) {
            model::check(!(round == 1 && rt::cancellation_point(me, rt::kCancelLoop)),
                         "the next loop is cancelled too");
            (round == 0 ? c->ran : c->after).fetch_add(1);
            if (round == 0) {
              rt::cancel(me, rt::kCancelLoop);
              model::check(rt::cancellation_point(me, rt::kCancelLoop), "the canceller does not see it");
              break;
            }
          }
          rt::share_leave(me);
          rt::barrier(me);
        }
      });
      model::check(c->ran.load() >= 1 && c->after.load() == 2, "iterations lost");
    });
  }));
}

}  // namespace
