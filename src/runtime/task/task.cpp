#include "runtime/task/task.h"

#include <utility>

#include "runtime/task/body.h"
#include "runtime/task/cancel.h"
#include "runtime/task/capture.h"
#include "runtime/task/depend.h"
#include "runtime/task/fast.h"
#include "runtime/task/footprint.h"
#include "runtime/task/instance.h"
#include "runtime/team/placed.h"
#include "runtime/observe/events.h"
#include "runtime/task/urgent.h"
#include "runtime/sync/wait.h"

namespace einkorn::runtime {

namespace {

// The thread may change inside the groups that a task has opened: what is counted apart for this one's sake goes to the
// others' count. (Also in groups around them, which are this thread's: they only become slower.)
void share_groups(Worker* w, Task* t) {
  for (Taskgroup* g = t->group; g && g->owner.load(std::memory_order_relaxed) == w; g = g->outer) {
    g->owner.store(nullptr, std::memory_order_relaxed);
    g->balance.fetch_add(g->local, std::memory_order_relaxed);  // whoever runs the task next sees it in its queue
    g->local = 0;
  }
}

// The last hold on a zombie went: free it, and let go of its parent, and so on up.
void free_zombies(Worker* w, Task* t) {
  for (;;) {
    Task* p = t->parent;
    EK_ASSERT(!(t->flags & kTaskImplicit));
    if (EK_UNLIKELY(t->flags & kTaskNode)) let_go_of_node(w, t);
    else free_block(w, t);
    // Release: this thread's last look at p. Acquire: the others', for who frees it.
    if (p->refs.fetch_sub(Task::kHeld, std::memory_order_acq_rel) != Task::kHeld) return;
    t = p;
  }
}

}  // namespace

void requeue(Worker* w, Task* t) {
  share_groups(w, t);
  keep_credit_of(w, w->current->group);
  if (EK_UNLIKELY(t->flags & kTaskOnStack)) return suspend(w, t);
  t->flags &= uint16_t(~(kTaskNextPart | kTaskYielded));
  t->owner.store(kNoWorker, std::memory_order_relaxed);
  if (EK_UNLIKELY(w->team->placed.load(std::memory_order_relaxed) != nullptr)) return requeue_placed(w, t);
  note_tasks(w);
  w->slot->inbox.push(t);
  after_push(w);
}

void mark_slot(Worker* w) {
  // seq_cst, both: the bits are set before the task can be seen.
  w->slot->has_tasks = true;
  const ptrdiff_t at = w->slot - w->team->slots;
  w->team->slots_with_tasks[at / 64].fetch_or(uint64_t(1) << (at % 64));
  // Who finds it set by another one leaves its line to all who look at it. Relaxed: a sleeper that read it before that
  // other one had set it passed its fence before ours. (On x86 that is the update above: loads stay in order.)
  if (!w->team->has_tasks.load(std::memory_order_relaxed)) w->team->has_tasks.exchange(true);
  // Orders the updates, or that look, before the load of idle in after_push(), or in queue_short(); pairs with the
  // full_fence() in sleep(), behind which has_tasks is read.
  fence_after_update();
}

static void leave_elsewhere(Taskgroup* g, int64_t count) {
  // The group may be gone once we are out of it: who waits for it stands in the word itself. Release: what the task
  // did, for who waits (ForGroup::done()). Acquire: the mark of one that sleeps, set before; and what those did that
  // left first, which goes on with our release.
  WorkerId waiter = Taskgroup::waiter(g->balance.fetch_sub(count, std::memory_order_acq_rel));
  if (waiter != kNoWorker) wake(g_workers[waiter]);
}

void give_credit_back(Worker* w) {
  Taskgroup* g = std::exchange(w->credited, nullptr);
  if (const int64_t count = std::exchange(w->credit, 0); count != 0) leave_elsewhere(g, count);
}

void leave_group(Worker* w, Taskgroup* g, uint32_t count, bool helps) {
  if (g->owner.load(std::memory_order_relaxed) == w) {
    g->local -= count;
  } else if (w->credited != g) {
    // Who helps finds others of the group, often, which may make some. Of few threads nobody else is at that line, and
    // who waits would learn of it one search later.
    const bool keeps = helps && w->team->n > g_searchers_at_team && !g_config.cancellation;
    if (!keeps || w->credited != nullptr) return leave_elsewhere(g, count);
    w->credited = g;
    w->credit = count;
  } else {
    w->credit += count;
    if (!helps && w->current->group != g) return give_credit_back(w);
    if (w->credit <= 2 * kGroupCredit) return;
    leave_elsewhere(g, w->credit - kGroupCredit);
    w->credit = kGroupCredit;
  }
}

bool goes_behind_others(const Worker* w) {
  return w->team->urgent_tasks.load(std::memory_order_relaxed) != 0 || seems_to_have_queued(w->team);
}

void child_done_elsewhere(Worker* w, Task* p, Team* team, uint32_t count) {
  bool huge = p->size_class == kHuge;
  // Release: what the child did, for who waits for it (outstanding()) or frees p. Acquire: the others' last looks at p,
  // if this is the last and frees it.
  int64_t now = p->refs.fetch_add(count, std::memory_order_acq_rel) + count;
  if (now == 0) return free_zombies(w, p);
  if (now < 0) return;
  // Without the mark a task has had 2^32 children.
  if (EK_UNLIKELY(uint32_t(now) == 0) && (now & Task::kSuspended)) return go_on(w, p, team);
  if (!(now & Task::kWaiting)) return;
  // Whom to wake? Not whom end_task() read: an untied task of clang's may have moved to another thread before it slept.
  // The parent may have ended since, but the memory of a block stays a task's, and a wrong wake does no harm. Only
  // blocks from the system may be gone; their sleeper is among the parked threads of the team.
  if (huge) return wake_all(team, team->n);
  WorkerId owner = p->owner.load(std::memory_order_relaxed);
  // Or it is a TaskExtra's memory by now, and this no worker's number.
  if (Worker* sleeper = owner != kNoWorker ? g_workers[owner] : nullptr) wake(sleeper);
}

void end_with_children(Worker* w, Task* t, Team* team) {
  EK_ASSERT(!(t->flags & kTaskOnStack));
  Task* p = t->parent;
  Taskgroup* g = t->group;
  // Before the parent hears of our end: it must not be freed while we are a zombie.
  p->refs.fetch_add(Task::kHeld, std::memory_order_relaxed);
  if (p->owner.load(std::memory_order_relaxed) == w->id) ++p->done;
  else child_done_elsewhere(w, p, team);
  int64_t leaving = Task::kAlive + int64_t(t->created - t->done);
  // Release: the last look at t, for who frees it. Acquire: its descendants', if that is this thread.
  if (t->refs.fetch_sub(leaving, std::memory_order_acq_rel) == leaving) free_zombies(w, t);
  if (g) leave_group(w, g);
}

void count_ended(Worker* w) {
  uint32_t count = w->ended;
  w->ended = 0;
  Slot* slot = w->ended_slot;
  Taskgroup* g = w->ended_group;
  child_done_elsewhere(w, w->ended_parent, slot->team, count);
  if (g) leave_group(w, g, count, true);
  // Release: all that the tasks did, as in end_task().
  slot->executed.store(slot->executed.load(std::memory_order_relaxed) + count, std::memory_order_release);
}

void make_detachable(Worker* w, Task* t) {
  need_extra(w, t);
  t->flags |= kTaskDetach;
}

void end_task_anywhere(Worker* w, Task* t, Team* team) {
  Slot* slot = team == w->team ? w->slot : nullptr;
  if (nothing_left_of(t)) {
    Task* p = t->parent;
    Taskgroup* g = t->group;
    free_block(w, t);
    if (p->owner.load(std::memory_order_relaxed) == w->id) ++p->done;
    else child_done_elsewhere(w, p, team);
    if (g) leave_group(w, g);
  } else {
    end_with_children(w, t, team);
  }
  // Release: what the task did, and that its children were counted as created, for no_tasks(). seq_cst of the second is
  // a release, too; it is ordered before the load of idle by the fence.
  if (slot) return add(slot->executed, std::memory_order_release);
  team->executed_elsewhere.fetch_add(1, std::memory_order_seq_cst);
  // Who sleeps in a barrier does not look again by itself. The region may be over by now; a wrong wake does no harm.
  full_fence();  // orders the count before the load of idle; pairs with heavy_fence() in sleep()
  if (parked(team->idle.load(std::memory_order_relaxed))) wake_all(team, team->n);
}

// The body has returned before; any thread, of any team or none.
static void end_detached(Worker* w, Task* t) {
  Team* team = team_of(t);
  // What it releases need not descend from the current task, which may run all that is in its own queue: not into that
  // one.
  w->fulfills = true;
  release_extra(w, t, team);
  const bool here = team == w->team;
  end_task_anywhere(w, t, team);
  w->fulfills = false;
  if (here) run_queued_outside_regions(w);
}

void fulfill_event(Worker* w, Task* t) {
  TaskExtra* x = extra_of(t);
  WorkerId waiter = x->waiter;  // before: afterwards the task may be gone
  if (EK_UNLIKELY(w->stream != nullptr)) w->stream->fulfilled(ticks(), t->record_id);
  // A tool hears of it first, as the task may be gone afterwards.
  if (EK_UNLIKELY(w->tool != nullptr)) tool::task_fulfill(w, t, x->event.load(std::memory_order_acquire) & kBodyDone);
  // An update of the word that who waits for the event marks (help.h, arm()): it finds the mark, or is found by the
  // look behind it. Release: what was done before, for who goes on; acquire: the body's end, if that was first.
  uint32_t old = x->event.fetch_or(kFulfilled, std::memory_order_seq_cst);
  if (old & kBodyDone) end_detached(w, t);
  else if (old & kEventWaiter) wake(g_workers[waiter]);
}

namespace {

template <bool batch, bool keeps, class Observer>
__attribute__((always_inline)) inline Task* run_and_end(Worker* w, Task* t, const Observer& observer) {
  auto call = [=](bool called) { return call_body(w, t, called); };
  if (!run_body<Kind::any>(w, t, w->current, observer, call)) return nullptr;
  return end_task<batch, keeps>(w, t);
}

// In a frame of its own, which the tool is told.
EK_NOINLINE void run_told(Worker* w, Task* t) { run_and_end<false, false>(w, t, observe::RecorderAndTool(w)); }

template <bool batch = false, bool keeps = false>
__attribute__((always_inline)) inline Task* run_task_here(Worker* w, Task* t) {
  if (EK_LIKELY(w->stream == nullptr)) return run_and_end<batch, keeps>(w, t, observe::Nobody{});
  if (EK_LIKELY(w->tool == nullptr)) return run_and_end<batch, keeps>(w, t, observe::Recorder(w));
  return run_told(w, t), nullptr;
}

}  // namespace

void run_task(Worker* w, Task* t) {
  if (EK_UNLIKELY(stack_is_low(w)))
    return call_on_new_stack(w, [](void* task) { run_task_here(self(), static_cast<Task*>(task)); }, t);
  run_task_here(w, t);
}

Task* run_task_of_batch(Worker* w, Task* t) {
  if (EK_UNLIKELY(w->ended != 0) && (w->ended_parent != t->parent || w->ended_group != t->group)) count_ended(w);
  keep_credit_of(w, t->group);
  if (EK_UNLIKELY(stack_is_low(w))) return run_task(w, t), nullptr;
  return run_task_here<true, true>(w, t);
}

namespace {

// And what becomes ready by it and may run next: the thread waits for that, too.
__attribute__((noinline)) void run_unusual(Worker* w, Task* t) {
  for (;;) {
    t = run_task_here<false, true>(w, t);
    if (t == nullptr) return;
    if (EK_UNLIKELY(w->team->urgent_tasks.load(std::memory_order_relaxed) != 0)) return push_task(w, t);
  }
}

// Out of line: in the loops below it would take registers from those that need them for each task.
__attribute__((noinline)) bool run_rest(Worker* w, Task* t) { return run_next_parts(w, t); }

// clang's, with nothing special about it.
__attribute__((always_inline)) inline bool call_usual_kmp(Worker* w, Task* t) {
  call_kmp(w, t);
  return EK_LIKELY(!(t->flags & kTaskNextPart)) || run_rest(w, t);
}

// A task that was popped from the own queue by one without kTaskSlowPath.
__attribute__((always_inline)) inline void run_short(Worker* w, Task* me, Task* t) {
  const uint16_t flags = t->flags;
  if (EK_LIKELY((flags & ~kTaskUntied) == kTaskKmp)) {
    if (!run_body<Kind::plain>(w, t, me, observe::Nobody{}, [=](bool) { return call_usual_kmp(w, t); })) return;
  } else if (EK_LIKELY((flags & ~(kTaskUntied | kTaskNode | kTaskExtra)) == 0)) {
    run_body<Kind::plain>(w, t, me, observe::Nobody{}, [=](bool) { return call_gomp(t), true; });
  } else {
    return run_unusual(w, t);
  }
  if (Task* next = end_task<false, true>(w, t)) run_unusual(w, next);
}

// The common case of a taskwait, and what fine tasks spend their time in: the children are still in the own queue.
__attribute__((always_inline)) inline void run_own_children(Worker* w, Task* me) {
  Slot* slot = w->slot;
  const Team* team = w->team;
  slot->deque.publish_long();
  do {
    if (EK_UNLIKELY(team->urgent_tasks.load(std::memory_order_relaxed) != 0)) return;
    Task* t = pop_short(slot, me->base());
    if (!t) return;
    run_short(w, me, t);
  } while (outstanding(me) != 0);
}

// The same for tasks that are recorded and have nothing else special about them. True: the last record is the end of
// one.
bool run_own_recorded_children(Worker* w, Task* me) {
  Slot* slot = w->slot;
  const Team* team = w->team;
  bool just_ended = false;
  slot->deque.publish_long();
  do {
    if (EK_UNLIKELY(team->urgent_tasks.load(std::memory_order_relaxed) != 0)) return just_ended;
    Task* t = pop_short(slot, me->base());
    if (!t) return just_ended;
    const uint16_t flags = t->flags;
    constexpr uint16_t kUsual = kTaskUntied | kTaskSlowPath | kTaskRecorded;
    if (EK_UNLIKELY((flags & ~(kUsual | kTaskKmp)) || !(flags & kTaskRecorded))) {
      run_unusual(w, t);
      just_ended = false;
      continue;
    }
    just_ended = false;
    auto call = [=](bool) { return flags & kTaskKmp ? call_usual_kmp(w, t) : (call_gomp(t), true); };
    if (!run_body<Kind::plain>(w, t, me, observe::RecorderInWait(w), call)) continue;
    Task* next = end_task<false, true>(w, t);
    just_ended = next == nullptr;
    if (EK_UNLIKELY(next != nullptr)) run_unusual(w, next);
  } while (outstanding(me) != 0);
  return just_ended;
}

}  // namespace

void run_popped(Worker* w, Task* me, Task* t) { run_short(w, me, t); }

void run_children_at_hand(Worker* w) {
  Task* t = w->current;
  if (EK_LIKELY(!(t->flags & kTaskSlowPath))) return run_own_children(w, t);
  while (Task* child = outstanding(t) != 0 ? w->slot->deque.pop(t->base()) : nullptr) run_task(w, child);
}

void begin_undeferred(Worker* w, Task* t, uint16_t flags, uint32_t site, bool depends, Caller caller) {
  init_task(w, t, flags);
  observe::with_observer(w, [=](const auto& observer) { observer.at_once(w, t, site, depends, caller); });
  ++t->parent->created;
  if (t->group) join_group(w, t->group);
  add(w->slot->created, std::memory_order_relaxed);
  if (EK_UNLIKELY(w->hints != nullptr)) {
    take_hints(w, t, nullptr, 0);
    begin_footprint(w, t);
    forget_hints(w, t);
  }
  t->owner.store(w->id, std::memory_order_relaxed);  // see Task; the thread itself goes by it
  put_on(w, t);
  observe::with_observer(w, [=](const auto& observer) { observer.runs(w, t, caller.frame()); });
}

void run_queued(Worker* w) {
  while (Task* t = w->slot->deque.pop(w->current->base())) run_task(w, t);
}

void end_undeferred(Worker* w, Task* t) {
  w->current = t->parent;
  if (observe::awaits_event(t)) note_tasks(w);  // barriers count from here on
  observe::with_observer(w, [=](const auto& observer) { observer.ends_at_once(w, t); });
  end_task(w, t);
  run_queued_outside_regions(w);
}

// Out of line: who is not recorded does without its frame.
EK_NOINLINE static void taskwait_recorded(Worker* w, Caller ra, uint16_t site_flags) {
  Task* t = w->current;
  observe::Wait wait(w, record::Construct::taskwait, site_flags, ra);
  if (EK_LIKELY(t->flags & kTaskRecorded)) {
    if (outstanding(t) == 0) return wait.ends_next();
    const bool just_ended = !stack_is_low(w) && run_own_recorded_children(w, t);
    if (EK_LIKELY(outstanding(t) == 0)) return just_ended ? wait.ends_next() : void();
  }
  if (outstanding(t) != 0) wait_for_children(w);
}

void taskwait(Worker* w, Caller ra, uint16_t site_flags) {
  Task* t = w->current;
  if (EK_LIKELY(w->stream == nullptr)) {
    if (outstanding(t) == 0) return;
    if (EK_LIKELY(!(t->flags & kTaskSlowPath)) && EK_LIKELY(!stack_is_low(w))) {
      run_own_children(w, t);
      if (EK_LIKELY(outstanding(t) == 0)) return;
    }
    return wait_for_children(w);
  }
  taskwait_recorded(w, ra, site_flags);
}

void taskyield(Worker* w, Caller ra, uint16_t site_flags) {
  if (w->team->n == 1 || merges(w->current)) return;  // or who is called might not be what any other descends from
  constexpr uint16_t kOfParts = kTaskKmp | kTaskUntied;
  // Who captures stays with its thread.
  if (Task* t = w->current; (t->flags & (kOfParts | kTaskCaptures)) == kOfParts) t->flags |= kTaskYielded;
  observe::Yield yield(w, site_flags, ra);
  run_one(w);
}

void enter_group(Worker* w, Taskgroup* g) {
  refuse_if_captures(w, "a taskgroup");
  own_task(w);
  g->outer = w->current->group;
  g->owner.store(w, std::memory_order_relaxed);
  g->local = 0;
  g->balance.store(0, std::memory_order_relaxed);
  g->reductions = g->outer ? g->outer->reductions : w->team->reductions;
  g->cancelled.store(false, std::memory_order_relaxed);
  g->scope = Taskgroup::of_program;
  w->current->group = g;
}

void taskgroup_begin(Worker* w, Taskgroup* g, const void* ra, uint16_t site_flags) {
  enter_group(w, g);
  observe::taskgroup_begins(w, site_flags, ra);
}

static EK_NOINLINE void wait_for_group_observed(Worker* w, Taskgroup* g, Caller ra, uint16_t site_flags) {
  observe::Wait wait(w, record::Construct::taskgroup, site_flags, ra);
  wait_for_group(w, g);
}

void taskgroup_end(Worker* w, Caller ra, uint16_t site_flags) {
  Taskgroup* g = w->current->group;
  if (EK_UNLIKELY(w->stream != nullptr)) wait_for_group_observed(w, g, ra, site_flags);
  else wait_for_group(w, g);
  w->current->group = g->outer;
}

}  // namespace einkorn::runtime
