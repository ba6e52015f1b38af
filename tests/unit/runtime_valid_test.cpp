// Teams, slots and tables of dependences that are as they must be, and with one thing wrong.
#include <gtest/gtest.h>

#include "runtime/task/dep_table.h"
#include "runtime/team/team.h"
#include "runtime/team/valid.h"
#include "runtime/team/worker.h"

namespace {

using namespace einkorn::base;
using namespace einkorn::runtime;

// What `valid` says while `member` is wrong.
template <class Member, class Value, class Valid>
bool with(Member& member, Value wrong, Valid&& valid) {
  const Member before = member;
  member = Member(wrong);
  const bool says = valid();
  member = before;
  return says;
}
template <class T, class Value, class Valid>
bool with(std::atomic<T>& member, Value wrong, Valid&& valid) {
  const T before = member.exchange(T(wrong));
  const bool says = valid();
  member = before;
  return says;
}

template <class T, class Value, class Valid>
bool with(Relaxed<T>& member, Value wrong, Valid&& valid) {
  const T before = member;
  member = T(wrong);
  const bool says = valid();
  member = before;
  return says;
}

TEST(ValidTest, TeamBetweenRegions) {
  Worker* w = self();
  Region r;
  Team* team = enter_region(w, &r);
  auto valid = [team] { return team_is_valid(team); };
  ASSERT_TRUE(valid());
  EXPECT_FALSE(with(team->n, 0, valid));
  EXPECT_FALSE(with(team->n, team->capacity + 1, valid)) << "more threads than slots";
  EXPECT_FALSE(with(team->capacity, 3, valid)) << "no power of two";
  EXPECT_FALSE(with(team->number, 0, valid)) << "threads between regions sleep in team 0";
  EXPECT_FALSE(with(team->active_level, team->level + 1, valid));
  EXPECT_FALSE(with(team->barrier, uint64_t(7) << 32 | 1, valid)) << "somebody is in the barrier";
  EXPECT_TRUE(with(team->barrier, uint64_t(7) << 32, valid));
  EXPECT_FALSE(with(team->inner_barrier, 1, valid));
  EXPECT_FALSE(with(team->idle, kParked * uint64_t(team->capacity) + einkorn::flow::kSearching, valid))
      << "one counted twice";
  EXPECT_FALSE(with(team->urgent_tasks, 1, valid));
  EXPECT_FALSE(with(team->slots[0].worker, nullptr, valid));
  EXPECT_FALSE(with(team->slots[0].team, nullptr, valid)) << "another team's slot";
  EXPECT_TRUE(valid());
  leave_region(w, &r);
}

TEST(ValidTest, TeamBeforeItsRegion) {
  Worker* w = self();
  Region r;
  Team* team = enter_region(w, &r);
  auto fresh = [team] { return team_is_fresh(team); };
  ASSERT_TRUE(fresh());
  EXPECT_FALSE(with(team->has_tasks, true, fresh));
  EXPECT_FALSE(with(team->slots_with_tasks[0], 1, fresh));
  EXPECT_FALSE(with(team->shares[3].state, 1 << 2, fresh)) << "a construct of the region before";
  EXPECT_FALSE(with(team->shares[0].state, 2, fresh));
  team->first_share_open = true;
  EXPECT_TRUE(with(team->shares[0].state, 2, fresh)) << "a combined loop's";
  team->first_share_open = false;
  EXPECT_FALSE(with(team->departed, 1, fresh));
  EXPECT_FALSE(with(team->cancelled, true, fresh));
  leave_region(w, &r);
}

TEST(ValidTest, SlotOfAnImplicitTask) {
  Worker* w = self();
  Slot& slot = *w->slot;
  auto valid = [&slot] { return slot_is_valid(slot); };
  auto done = [&slot] { return slot_is_done(slot); };
  ASSERT_TRUE(valid());
  ASSERT_TRUE(done());
  Task& t = slot.implicit;
  EXPECT_FALSE(with(slot.worker, nullptr, valid));
  EXPECT_FALSE(with(w->slot, w->slot + 1, valid)) << "its thread is elsewhere";
  EXPECT_FALSE(with(w->thread_num, 1, valid)) << "its thread has another number";
  EXPECT_FALSE(with(t.flags, 0, valid));
  EXPECT_FALSE(with(t.depth, 1, valid));
  EXPECT_FALSE(with(t.owner, kNoWorker, valid)) << "on nobody's stack";
  const int64_t base = t.base();
  t.set_base(slot.deque.bottom() + 1);
  EXPECT_FALSE(valid()) << "its children would lie above the queue";
  t.set_base(base);
  const bool marked = w->team->slots_with_tasks[0].load() & 1;
  w->team->slots_with_tasks[0] = 0;
  EXPECT_FALSE(with(slot.has_tasks, true, valid)) << "searches pass it by";
  w->team->slots_with_tasks[0] = marked;

  EXPECT_FALSE(with(t.refs, 0, done));
  ++t.created;
  EXPECT_TRUE(valid());
  EXPECT_FALSE(done()) << "a child has not ended";
  --t.created;
  Task queued{};
  slot.deque.push(&queued);
  EXPECT_TRUE(valid());
  EXPECT_FALSE(done()) << "a task is queued";
  EXPECT_EQ(slot.deque.pop(), &queued);
  slot.inbox.push(&queued);
  EXPECT_FALSE(done()) << "a task is in the inbox";
  EXPECT_EQ(slot.inbox.take([](const Task*) { return true; }), &queued);
  EXPECT_FALSE(with(t.flags, t.flags | kTaskExtra, done));
  EXPECT_TRUE(done());
}

TEST(ValidTest, TableOfDependences) {
  Worker* w = self();
  EXPECT_TRUE(DepTable{}.is_valid());
  // Two readers of each of so many addresses that the table grows.
  constexpr int kTasks = 80;
  static int ran = 0;
  for (int i = 0; i < kTasks; ++i) {
    Task* t = new_block(w, sizeof(GompBody));
    init_task(w, t, 0);
    *static_cast<GompBody*>(t->body()) = {[](void*) { ++ran; }, nullptr};
    const Dependence d{uintptr_t(8 + 8 * (i / 2)), 0, kDepIn};
    submit_dependent(w, t, &d, 1);
    ASSERT_TRUE(extra_of(w->current)->table->is_valid()) << i;
  }
  DepTable& table = *extra_of(w->current)->table;
  ASSERT_EQ(table.used, uint32_t(kTasks / 2));
  DepEntry* e = table.entries;
  while (e->is_free()) ++e;
  auto valid = [&table] { return table.is_valid(); };
  EXPECT_FALSE(with(table.used, table.used + 1, valid));
  EXPECT_FALSE(with(table.used, 0, valid));
  EXPECT_FALSE(with(table.room, table.room - 1, valid)) << "no power of two";
  EXPECT_FALSE(with(e->address, uintptr_t(8) << 20, valid)) << "nobody finds it there";
  EXPECT_FALSE(with(e->last.kind, 2, valid)) << "no kind of dependence";
  EXPECT_FALSE(with(e->last.kind, kDepOut, valid)) << "two writers in one set";
  EXPECT_FALSE(with(e->last.kind, kDepMutexInOutSet, valid)) << "without a mutex";
  EXPECT_FALSE(with(e->last.count, 3, valid)) << "more than it holds";
  EXPECT_FALSE(with(e->last.in_place[0], nullptr, valid));
  auto& node = e->last.in_place[0]->node;
  EXPECT_TRUE(node.unname());
  EXPECT_FALSE(valid()) << "a node that may be free";
  node.name();
  EXPECT_TRUE(valid());
  taskwait(w, nullptr, 0);
  EXPECT_EQ(ran, kTasks);
  EXPECT_TRUE(table.is_valid()) << "with tasks that have ended";
  table.clear(w);
  EXPECT_TRUE(table.is_valid());
  release_implicit_extra(w, w->slot);
  EXPECT_TRUE(slot_is_done(*w->slot));
}

}  // namespace
