// Procedures' instances that wait without a stack (instance.h): who ends the last child goes on with them, once, and
// sees what the children did.
#include <gtest/gtest.h>

#include "model/instance_mutants.h"
#include "model/rig.h"
#include "runtime/task/instance.h"
#include "runtime/team/placed.h"

namespace {

using namespace rig;
using rt::Instance;
using rt::KmpTask;
using rt::Task;
using rt::Worker;

struct Counts {
  model::Atomic<int> leaves{0}, went_on{0}, ended{0};
  model::Atomic<Task*> task{nullptr};
};
Counts* make_counts() { return new (model::arena(sizeof(Counts))) Counts; }

using Call = int32_t (*)(int32_t, KmpTask*);
Task* make_instance(Worker* w, Call call, Counts* c) {
  Task* t = rt::new_block(w, sizeof(Instance));
  rt::init_task(w, t, rt::kTaskKmp);
  *rt::instance_of(t) = {c, call, 0, 0, nullptr, nullptr, 1, Instance::of_task};
  return t;
}
Instance* instance(KmpTask* body) { return reinterpret_cast<Instance*>(body); }
Counts* counts(Instance* i) { return static_cast<Counts*>(i->frame); }

void leaf(void* c) { static_cast<Counts*>(c)->leaves.fetch_add(1); }
void parent_of_leaf(void* c) {
  spawn(rt::self(), leaf, c);
  leaf(c);
}

// Twice: makes two children and waits for them. Not if they have ended already, as src/codelet does.
template <void (*child)(void*), bool at_hand>
int32_t two_waits(int32_t, KmpTask* body) {
  Instance* me = instance(body);
  Counts* c = counts(me);
  Worker* w = rt::self();
  Task* t = w->current;
  model::check(t == rt::task_of(me), "it runs, but is not the current task");
  for (; me->at < 2;) {
    if (me->id == 0) {
      spawn(w, child, c);
      spawn(w, leaf, c);
    }
    me->id = 1;
    if (at_hand && rt::outstanding(t) != 0) rt::run_children_at_hand(w);
    if (rt::outstanding(t) != 0) return rt::give_way(t), 0;
    model::check(c->leaves.load() >= 2 * int(me->at + 1), "it goes on before its children have ended");
    me->id = 0;
    ++me->at;
  }
  c->ended.fetch_add(1);
  return 0;
}
// Waits for an instance that waits.
int32_t outer(int32_t, KmpTask* body) {
  Instance* me = instance(body);
  Counts* c = counts(me);
  Worker* w = rt::self();
  if (me->at++ == 0) rt::submit(w, make_instance(w, two_waits<leaf, false>, c));
  if (rt::outstanding(w->current) != 0) return rt::give_way(w->current), 0;
  model::check(c->ended.load() == 1 && c->leaves.load() == 4, "it goes on before the instance that it waits for");
  c->ended.fetch_add(1);
  return 0;
}

model::Result run(int threads, Call call, int leaves, int ended, model::Options options) {
  return model::explore(options, [=] {
    auto p = regions(threads, std::vector<int>(size_t(threads), 1), [=](Worker* w) {
      Counts* c = make_counts();
      parallel(w, threads, [=](Worker* me) {
        if (me->thread_num == 0) rt::submit(me, make_instance(me, call, c));
      });
      model::check(c->leaves.load() == leaves && c->ended.load() == ended, "the region ended before its instances");
    });
    p.at_end = [] { model::check(live_blocks() == 0, "a block was not freed, or freed twice"); };
    return p;
  });
}
void expect_right(const model::Result& r) {
  EXPECT_FALSE(r.failed) << r.message;
  EXPECT_TRUE(r.exhausted) << "not all seen in " << r.executions << " executions";
}

TEST(InstanceModel, TwoWaits) { expect_right(run(2, two_waits<leaf, false>, 4, 1, {1, 1})); }
TEST(InstanceModel, ChildrenAtHandFirst) { expect_right(run(2, two_waits<leaf, true>, 4, 1, {1, 0})); }
TEST(InstanceModel, ChildrenThatEndBeforeTheirs) {
  expect_right(run(2, two_waits<parent_of_leaf, false>, 6, 1, {1, 0}));
}
TEST(InstanceModel, WaitsForAnInstance) { expect_right(run(2, outer, 4, 2, {1, 1})); }
TEST(InstanceModel, OfThree) { expect_right(run(3, two_waits<leaf, false>, 4, 1, {1, 0})); }

// ---- the hand-over alone, by the runtime's own suspend() and by copies of it that are wrong -------------------------

int32_t goes_on(int32_t, KmpTask* body) {
  Instance* me = instance(body);
  model::check(counts(me)->leaves.load() == 2, "it goes on before its children have ended");
  model::check(rt::outstanding(rt::task_of(me)) == 0, "it goes on and has children");
  model::check(counts(me)->went_on.fetch_add(1) == 0, "it goes on twice");
  model::check(rig::g_resumed == int(rt::g_places_tasks), "it goes on without its place");
  return 0;
}
// Ends a child of the instance: a task of its own here, which any thread runs.
void end_child(void* p) {
  auto* c = static_cast<Counts*>(p);
  Worker* w = rt::self();
  c->leaves.fetch_add(1);
  rt::child_done_elsewhere(w, c->task.load(), w->team);
}
// with_place: where it goes on is told with it (Task::place).
template <class Suspend>
model::Result hand_over(Suspend suspend, bool with_place = false) {
  rt::g_places_tasks = with_place;
  const model::Result result = model::explore({1, 1}, [=] {
    auto p = regions(2, {1, 1}, [=](Worker* w) {
      Counts* c = make_counts();
      parallel(w, 2, [=](Worker* me) {
        if (me->thread_num != 0) return;
        Task* t = make_instance(me, goes_on, c);
        rt::count_task(me, t);
        t->owner.store(me->id, std::memory_order_relaxed);
        t->created = 3;
        t->done = 1;
        c->task.store(t);
        spawn(me, end_child, c);
        spawn(me, end_child, c);
        suspend(me, t);
      });
      model::check(c->went_on.load() == 1, "it never goes on");
    });
    p.at_end = [] { model::check(live_blocks() == 0, "a block was not freed, or freed twice"); };
    return p;
  });
  rt::g_places_tasks = false;
  return result;
}

TEST(InstanceModel, HandOverWithItsPlace) {
  expect_right(hand_over([](Worker* w, Task* t) { rt::suspend(w, t); }, true));
}
TEST(InstanceModel, CatchesAPlaceThatComesLate) {
  ASSERT_TRUE(mutant_place_late::kApplied) << "instance.cpp changed: adapt model/mutants.cmake";
  const model::Result r = hand_over([](Worker* w, Task* t) { mutant_place_late::suspend(w, t); }, true);
  EXPECT_TRUE(r.failed) << "a wrong hand-over passed " << r.executions << " executions";
}
TEST(InstanceModel, HandOver) {
  expect_right(hand_over([](Worker* w, Task* t) { rt::suspend(w, t); }));
}

#define EK_MUTANT(name, room)                                                              \
  TEST(InstanceModel, name) {                                                              \
    ASSERT_TRUE(room::kApplied) << "instance.cpp changed: adapt model/mutants.cmake";      \
    const model::Result r = hand_over([](Worker* w, Task* t) { room::suspend(w, t); });    \
    EXPECT_TRUE(r.failed) << "a wrong hand-over passed " << r.executions << " executions"; \
  }
EK_MUTANT(CatchesCountsThatStay, mutant_keeps_counts)
EK_MUTANT(CatchesALookApart, mutant_looks_apart)
EK_MUTANT(CatchesOneThatNeverLooks, mutant_never_looks)
EK_MUTANT(CatchesAMarkThatStays, mutant_keeps_the_mark)

}  // namespace
