#include "runtime/sync/wait.h"

#include "runtime/sync/help.h"
#include "runtime/task/capture.h"
#include "runtime/task/helpers.h"

namespace einkorn::runtime {

namespace {

// What is waited for, as help.h asks: also for the orders.

struct ForChildren {
  static constexpr bool kAnyTask = false;
  Task* task;
  bool done() const { return outstanding(task) == 0; }
  bool ended() const { return done(); }
  void arm() { task->refs.fetch_or(Task::kWaiting, std::memory_order_seq_cst); }
  void disarm() { task->refs.fetch_and(~Task::kWaiting, std::memory_order_relaxed); }
};

struct ForGroup {
  static constexpr bool kAnyTask = false;
  Taskgroup* group;
  int64_t waiter;  // what the calling thread adds to balance while it sleeps
  ForGroup(Worker* w, Taskgroup* g) : group(g), waiter((int64_t(w->id) + 1) << Taskgroup::kWaiterShift) {}
  bool done() const { return group->local + Taskgroup::count(group->balance.load(std::memory_order_acquire)) == 0; }
  bool ended() const { return done(); }
  void arm() { group->balance.fetch_add(waiter, std::memory_order_seq_cst); }
  void disarm() { group->balance.fetch_sub(waiter, std::memory_order_relaxed); }
};

// A dependence node of this thread: its predecessors have ended.
struct ForPredecessors {
  static constexpr bool kAnyTask = false;
  TaskExtra* extra;
  bool done() const { return extra->node.waits_for_nobody(); }
  bool ended() const { return done(); }
  void arm() {}
  void disarm() {}
};

struct ForEvent {
  static constexpr bool kAnyTask = false;
  TaskExtra* extra;
  bool done() const { return extra->event.load(std::memory_order_acquire) & kFulfilled; }
  bool ended() const { return done(); }
  void arm() { extra->event.fetch_or(kEventWaiter, std::memory_order_seq_cst); }
  void disarm() {}
};

}  // namespace

void wait_for_children(Worker* w) {
  refuse_if_captures(w, "a taskwait");
  ForChildren wait{w->current};
  help_until(w, wait);
}

void wait_for_group(Worker* w, Taskgroup* g) {
  ForGroup wait(w, g);
  if (EK_UNLIKELY(w->credited == g)) give_credit_back(w);
  if (!wait.done()) help_until(w, wait);
}

void wait_for_predecessors(Worker* w, TaskExtra* x) {
  ForPredecessors wait{x};
  help_until(w, wait);
}

void wait_for_event(Worker* w, Task* t) {
  TaskExtra* x = extra_of(t);
  x->waiter = w->id;
  ForEvent wait{x};
  help_until(w, wait);
}

bool run_one(Worker* w) {
  Task* t = search(w, ForChildren{w->current}, false);
  if (t) run_task(w, t);
  keep_credit_of(w, w->current->group);
  return t != nullptr;
}

void push_urgent(Team* team, Task* t) { UrgentQueue::of(team)->push(team, t, extra_of(t)->priority); }

void push_unusual(Worker* w, Task* t) {
  if (is_target_task(t)) return give_to_helpers(t);
  note_tasks(w);
  if (t->flags & kTaskPriority) push_urgent(w->team, t);
  else w->slot->deque.push(t);
  after_push(w);
}

void push_elsewhere(Team* team, Task* t) {
  if (EK_UNLIKELY(is_target_task(t))) return give_to_helpers(t);
  if (t->flags & kTaskPriority) push_urgent(team, t);
  else if (team->placed.load(std::memory_order_relaxed)) push_placed_elsewhere(team, t);
  else {
    // seq_cst, both: as in mark_slot(), for a slot of somebody else.
    team->slots_with_tasks[0].fetch_or(1);
    team->has_tasks.store(true);
    team->slots[0].inbox.push(t);
  }
  // All: who is woken may be one that must not run it (tied tasks).
  full_fence();  // orders the push before the load of idle; pairs with heavy_fence() in sleep()
  if (parked(team->idle.load(std::memory_order_relaxed))) wake_all(team, team->n);
}

}  // namespace einkorn::runtime
