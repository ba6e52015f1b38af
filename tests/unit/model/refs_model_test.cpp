// Counting children and members of taskgroups (task.h, task.cpp, wait.cpp): waits end when, and only when, the children
// have; every task's block comes back exactly once, even if a parent ends before its children.
#include <gtest/gtest.h>

#include "model/rig.h"
#include "runtime/task/loop_ranges.h"

namespace {

using namespace rig;
using rt::Task;
using rt::Worker;

void expect_right(const model::Result& r) {
  EXPECT_FALSE(r.failed) << r.message;
  EXPECT_TRUE(r.exhausted) << "not all seen in " << r.executions << " executions";
}

struct Counts {
  model::Atomic<int> leaves{0}, waited{0};
};
Counts* make_counts() { return new (model::arena(sizeof(Counts))) Counts; }
Counts* counts(void* p) { return static_cast<Counts*>(p); }

void leaf(void* p) { counts(p)->leaves.fetch_add(1); }
// Ends before its children: a zombie until they have ended.
void rogue(void* p) {
  spawn(rt::self(), leaf, p);
  spawn(rt::self(), leaf, p);
}
void rogue_of_rogues(void* p) { spawn(rt::self(), rogue, p); }
void waits(void* p) {
  spawn(rt::self(), leaf, p);
  spawn(rt::self(), leaf, p);
  rt::taskwait(rt::self(), nullptr, 0);
  model::check(counts(p)->leaves.load() >= 2, "taskwait ended before the children");
  counts(p)->waited.fetch_add(1);
}
// taskgroup, whose members have children of their own.
void groups(void* p) {
  Worker* w = rt::self();
  auto* g = static_cast<rt::Taskgroup*>(model::arena(sizeof(rt::Taskgroup)));
  rt::taskgroup_begin(w, g, nullptr, 0);
  spawn(w, rogue, p);
  spawn(w, leaf, p);
  rt::taskgroup_end(w, nullptr, 0);
  model::check(counts(p)->leaves.load() == 3, "the taskgroup ended before its members");
  counts(p)->waited.fetch_add(1);
}

model::Result run(int threads, void (*root)(void*), int leaves, model::Options options, uint16_t flags = 0) {
  return model::explore(options, [=] {
    std::vector<int> served(size_t(threads), 1);
    auto p = regions(threads, served, [=](Worker* w) {
      Counts* c = make_counts();
      parallel(w, threads, [=](Worker* me) {
        if (me->thread_num == 0) spawn(me, root, c, flags);
      });
      model::check(c->leaves.load() == leaves, "the region ended before its tasks");
    });
    p.at_end = [] { model::check(live_blocks() == 0, "a task was not freed, or freed twice"); };
    return p;
  });
}

// taskloop by ranges (loop_ranges.h): children that another thread than the creator's makes.
struct Loop {
  rt::RangeLoop ranges;
  void* counts;
};
void run_pieces(void* range) {
  auto& r = *static_cast<rt::LoopRange*>(range);
  void* found = reinterpret_cast<Loop*>(r.loop)->counts;
  Worker* w = rt::self();
  auto make = [=] {
    Task* t = rt::new_block(w, sizeof(rt::GompBody));
    rt::init_task(w, t, 0);
    return t;
  };
  rt::run_range(w, r, make, [](Task*, uint64_t, uint64_t, bool) {}, [=](Task*) { leaf(found); });
}
constexpr int kPieces = 4;
Loop* new_loop(Worker* w, void* p, void (*done)(Worker*, rt::RangeLoop*)) {
  rt::TaskloopSplit split(kPieces, 1, 0, false, 2);
  return new (rt::new_block(w, sizeof(Loop))->body()) Loop{{w, split, run_pieces, done}, p};
}
void free_loop(Worker* w, rt::RangeLoop* l) { rt::free_block(w, reinterpret_cast<Task*>(l) - 1); }
void loop_in_group(void* p) {
  Worker* w = rt::self();
  auto* g = static_cast<rt::Taskgroup*>(model::arena(sizeof(rt::Taskgroup)));
  rt::taskgroup_begin(w, g, nullptr, 0);
  Loop* l = new_loop(w, p, nullptr);
  rt::start_ranges(w, l->ranges);
  rt::taskgroup_end(w, nullptr, 0);
  model::check(counts(p)->leaves.load() == kPieces, "the taskgroup ended before the loop");
  free_loop(w, &l->ranges);
}
void loop_and_taskwait(void* p) {
  Worker* w = rt::self();
  rt::start_ranges(w, new_loop(w, p, free_loop)->ranges);
  rt::taskwait(w, nullptr, 0);
  model::check(counts(p)->leaves.load() == kPieces, "taskwait ended before the loop");
}
void loop_and_end(void* p) { rt::start_ranges(rt::self(), new_loop(rt::self(), p, free_loop)->ranges); }

TEST(RefsModel, LoopInGroup) { expect_right(run(2, loop_in_group, kPieces, {1, 1})); }
TEST(RefsModel, LoopAndTaskwait) { expect_right(run(2, loop_and_taskwait, kPieces, {1, 1})); }
TEST(RefsModel, LoopOutlivesItsCreator) { expect_right(run(2, loop_and_end, kPieces, {1, 1})); }
TEST(RefsModel, LoopOfThree) { expect_right(run(3, loop_and_taskwait, kPieces, {1, 0})); }
TEST(RefsModel, Rogues) { expect_right(run(2, rogue, 2, {1, 1})); }
TEST(RefsModel, RoguesOfRogues) { expect_right(run(2, rogue_of_rogues, 2, {1, 1})); }
TEST(RefsModel, Taskwait) { expect_right(run(2, waits, 2, {1, 1})); }
TEST(RefsModel, Taskgroup) { expect_right(run(2, groups, 3, {1, 1})); }
TEST(RefsModel, TaskwaitOfThree) { expect_right(run(3, waits, 2, {1, 0})); }
TEST(RefsModel, TaskgroupOfThree) { expect_right(run(3, groups, 3, {0, 1})); }
TEST(RefsModel, RoguesOfThree) { expect_right(run(3, rogue, 2, {1, 0})); }

// What wakes a group's sleeper stands beside a count that passes zero in both directions.
TEST(RefsModel, GroupWordKeepsItsWaiter) {
  using rt::Taskgroup;
  for (int64_t start : {-3, -1, 0, 1, 5})
    for (rt::WorkerId id : {rt::WorkerId(0), rt::WorkerId(7), rt::WorkerId(0xfffe)}) {
      int64_t v = start;
      EXPECT_EQ(Taskgroup::waiter(v), rt::kNoWorker);
      v += (int64_t(id) + 1) << Taskgroup::kWaiterShift;
      for (int step : {-1, -1, -1, 1, 1, 1, 1, 1, -1}) {
        v += step, start += step;
        EXPECT_EQ(Taskgroup::waiter(v), id);
        EXPECT_EQ(Taskgroup::count(v), start);
      }
      v -= (int64_t(id) + 1) << Taskgroup::kWaiterShift;
      EXPECT_EQ(v, start);
      start -= 1;
    }
}

}  // namespace
