#include "runtime/task.h"

#include "runtime/cancel.h"
#include "runtime/depend.h"
#include "runtime/footprint.h"
#include "runtime/placed.h"
#include "runtime/tool.h"
#include "runtime/urgent.h"
#include "runtime/wait.h"

namespace einkorn::runtime {

namespace {

// The thread may change inside the groups that a task has opened: what is counted apart for this one's sake goes to the others'
// count. (Also in groups around them, which are this thread's: they only become slower.)
void share_groups(Worker* w, Task* t) {
  for (Taskgroup* g = t->group; g && g->owner.load(std::memory_order_relaxed) == w; g = g->outer) {
    g->owner.store(nullptr, std::memory_order_relaxed);
    g->balance.fetch_add(g->local, std::memory_order_relaxed);  // whoever runs the task next sees it in its queue
    g->local = 0;
  }
}

// The next part of clang's untied task, behind a taskyield: to the inbox, behind what waits already. It may run anywhere.
EK_NOINLINE void requeue(Worker* w, Task* t) {
  share_groups(w, t);
  t->flags &= uint16_t(~(kTaskNextPart | kTaskYielded));
  t->owner.store(kNoWorker, std::memory_order_relaxed);
  if (record::Stream* s = w->stream) s->task_suspend(record::now());
  if (EK_UNLIKELY(w->team->placed.load(std::memory_order_relaxed) != nullptr)) return requeue_placed(w, t);
  note_tasks(w);
  w->slot->inbox.push(t);
  after_push(w);
}

// The last hold on a zombie went: free it, and let go of its parent, and so on up.
void free_zombies(Worker* w, Task* t) {
  for (;;) {
    Task* p = t->parent;
    EK_ASSERT(!(t->flags & kTaskImplicit));
    if (EK_UNLIKELY(t->flags & kTaskNode)) let_go_of_node(w, t);
    else free_block(w, t);
    if (p->refs.fetch_sub(Task::kHeld, std::memory_order_acq_rel) != Task::kHeld) return;
    t = p;
  }
}

}  // namespace

void mark_slot(Worker* w) {
  // The bits are set before the task can be seen, and before the load of idle in after_push() (they are locked instructions).
  w->slot->has_tasks = true;
  w->team->slots_with_tasks[w->thread_num / 64].fetch_or(uint64_t(1) << (w->thread_num % 64));
  w->team->has_tasks.store(true);
}

void leave_group(Worker* w, Taskgroup* g, uint32_t count) {
  if (g->owner.load(std::memory_order_relaxed) == w) {
    g->local -= count;
    return;
  }
  // The group may be gone once we are out of it: who waits for it stands in the word itself.
  WorkerId waiter = Taskgroup::waiter(g->balance.fetch_sub(count, std::memory_order_acq_rel));
  if (waiter != kNoWorker) wake(g_workers[waiter]);
}

bool goes_behind_others(const Worker* w) {
  return w->team->urgent_tasks.load(std::memory_order_relaxed) != 0 || seems_to_have_queued(w->team);
}

void child_done_elsewhere(Worker* w, Task* p, Team* team, uint32_t count) {
  bool huge = p->size_class == kHuge;
  int64_t now = p->refs.fetch_add(count, std::memory_order_acq_rel) + count;
  if (now == 0) return free_zombies(w, p);
  if (now < 0 || !(now & Task::kWaiting)) return;
  // Whom to wake? Not whom end_task() read: an untied task of clang's may have moved to another thread before it slept.
  // The parent may have ended since, but the memory of a block stays a task's, and a wrong wake does no harm. Only blocks
  // from the system may be gone; their sleeper is among the parked threads of the team.
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
  if (t->refs.fetch_sub(leaving, std::memory_order_acq_rel) == leaving) free_zombies(w, t);
  if (g) leave_group(w, g);
}

template <bool batch = false, bool keeps = false>
static inline Task* run_task_here(Worker* w, Task* t);

void count_ended(Worker* w) {
  uint32_t count = w->ended;
  w->ended = 0;
  Slot* slot = w->ended_slot;
  Taskgroup* g = w->ended_group;
  child_done_elsewhere(w, w->ended_parent, slot->team, count);
  if (g) leave_group(w, g, count);
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
  if (slot) return add(slot->executed, std::memory_order_release);
  team->executed_elsewhere.fetch_add(1, std::memory_order_seq_cst);
  // Who sleeps in a barrier does not look again by itself. The region may be over by now; a wrong wake does no harm.
  full_fence();  // orders the count before the load of idle; pairs with heavy_fence() in sleep()
  if (parked(team->idle.load(std::memory_order_relaxed))) wake_all(team, team->n.load(std::memory_order_relaxed));
}

// The body has returned before; any thread, of any team or none.
static void end_detached(Worker* w, Task* t) {
  Team* team = team_of(t);
  // What it releases need not descend from the current task, which may run all that is in its own queue: not into that one.
  w->fulfills = true;
  release_extra(w, t, team);
  w->fulfills = false;
  const bool here = team == w->team;
  end_task_anywhere(w, t, team);
  if (here) run_queued_outside_regions(w);
}

void fulfill_event(Worker* w, Task* t) {
  TaskExtra* x = extra_of(t);
  WorkerId waiter = x->waiter;  // before: afterwards the task may be gone
  // A tool hears of it first, as the task may be gone afterwards.
  if (EK_UNLIKELY(w->tool != nullptr)) tool::task_fulfill(w, t, x->event.load(std::memory_order_acquire) & kBodyDone);
  uint32_t old = x->event.fetch_or(kFulfilled, std::memory_order_seq_cst);
  if (old & kBodyDone) end_detached(w, t);
  else if (old & kEventWaiter) wake(g_workers[waiter]);
}

namespace {

// run_task() with a tool, in a frame that the tool is told.
EK_NOINLINE void run_told_task(Worker* w, Task* t) {
  Task* before = w->current;
  record::Stream* s = w->stream;
  s->task_start(record::now(), t->record_id);
  if (EK_UNLIKELY(g_footprints)) begin_footprint(w, t);
  if (EK_UNLIKELY(w->hints != nullptr)) forget_hints(w, t);
  t->base = w->slot->deque.bottom();
  t->owner.store(w->id, std::memory_order_relaxed);
  w->current = t;
  ompt_state_t state = w->tool->state;
  tool::task_begin(w, t, __builtin_frame_address(0));
  const bool runs = !g_config.cancellation || !discards(w, t);
  if (!runs) tool::discarded(w);
  if (t->flags & kTaskKmp) {
    auto* kt = static_cast<KmpTask*>(t->body());
    if (runs) kt->routine(w->id, kt);
    if (run_next_parts(w, t) && (t->flags & kTaskDestructors))
      reinterpret_cast<int32_t (*)(int32_t, KmpTask*)>(kt->data1)(w->id, kt);
  } else if (runs) {
    auto* body = static_cast<GompBody*>(t->body());
    body->fn(body->data);
  }
  w->current = before;
  if (t->flags & kTaskNextPart) {
    tool::task_leave(w, ompt_task_switch);
    w->tool->state = state;
    return requeue(w, t);
  }
  s->task_end(record::now());
  // An event that is fulfilled from here on is told as late, though the task ends at once.
  bool detached = (t->flags & kTaskDetach) && !(extra_of(t)->event.load(std::memory_order_acquire) & kFulfilled);
  tool::task_leave(w, !runs ? ompt_task_cancel : detached ? ompt_task_detach : ompt_task_complete);
  w->tool->state = state;
  end_task(w, t);
}

}  // namespace

void run_task(Worker* w, Task* t) {
  if (EK_UNLIKELY(stack_is_low(w)))
    return call_on_new_stack(w, [](void* task) { run_task_here(self(), static_cast<Task*>(task)); }, t);
  run_task_here(w, t);
}

Task* run_task_of_batch(Worker* w, Task* t) {
  if (EK_UNLIKELY(w->ended != 0) && (w->ended_parent != t->parent || w->ended_group != t->group)) count_ended(w);
  if (EK_UNLIKELY(stack_is_low(w))) return run_task(w, t), nullptr;
  return run_task_here<true, true>(w, t);
}

template <bool batch, bool keeps>
__attribute__((always_inline)) static inline Task* run_task_here(Worker* w, Task* t) {
  Task* before = w->current;
  record::Stream* s = w->stream;
  if (EK_UNLIKELY(s != nullptr)) {
    if (w->tool) return run_told_task(w, t), nullptr;
    s->task_start(record::now(), t->record_id);
  }
  if (EK_UNLIKELY(g_footprints)) begin_footprint(w, t);
  if (EK_UNLIKELY(w->hints != nullptr)) forget_hints(w, t);
  t->base = w->slot->deque.bottom();
  t->owner.store(w->id, std::memory_order_relaxed);
  w->current = t;
  const bool runs = EK_LIKELY(!g_config.cancellation) || !discards(w, t);
  if (t->flags & kTaskKmp) {
    auto* kt = static_cast<KmpTask*>(t->body());
    if (EK_LIKELY(runs)) kt->routine(w->id, kt);
    if (EK_UNLIKELY(t->flags & (kTaskDestructors | kTaskNextPart)) && run_next_parts(w, t) && (t->flags & kTaskDestructors))
      reinterpret_cast<int32_t (*)(int32_t, KmpTask*)>(kt->data1)(w->id, kt);
  } else if (EK_LIKELY(runs)) {
    auto* body = static_cast<GompBody*>(t->body());
    body->fn(body->data);
  }
  w->current = before;
  if (EK_UNLIKELY(t->flags & kTaskNextPart)) return requeue(w, t), nullptr;
  if (EK_UNLIKELY(s != nullptr)) s->task_end(record::now());
  return end_task<batch, keeps>(w, t);
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

// A task that was popped from the own queue by one without kTaskLongWay.
inline void run_short(Worker* w, Slot* slot, Task* me, Task* t) {
  const uint16_t flags = t->flags;
  t->base = slot->deque.bottom();
  t->owner.store(w->id, std::memory_order_relaxed);
  w->current = t;
  if (EK_LIKELY((flags & ~kTaskUntied) == kTaskKmp)) {
    auto* kt = static_cast<KmpTask*>(t->body());
    kt->routine(w->id, kt);
    if (EK_UNLIKELY(t->flags & kTaskNextPart) && !run_rest(w, t)) {
      w->current = me;
      return requeue(w, t);
    }
  } else if (EK_LIKELY((flags & ~(kTaskUntied | kTaskNode | kTaskExtra)) == 0)) {
    auto* body = static_cast<GompBody*>(t->body());
    body->fn(body->data);
  } else {
    w->current = me;
    return run_unusual(w, t);
  }
  w->current = me;
  if (Task* next = end_task<false, true>(w, t)) run_unusual(w, next);
}

// The common case of a taskwait, and what fine tasks spend their time in: the children are still in the own queue.
__attribute__((always_inline)) inline void run_own_children(Worker* w, Task* me) {
  Slot* slot = w->slot;
  const Team* team = w->team;
  slot->deque.publish_long();
  do {
    if (EK_UNLIKELY(team->urgent_tasks.load(std::memory_order_relaxed) != 0)) return;
    Task* t = slot->deque.pop_short(me->base);
    if (!t) return;
    run_short(w, slot, me, t);
  } while (outstanding(me) != 0);
}

// The same for tasks that are recorded and have nothing else special about them. True: the last record is the end of one.
bool run_own_recorded_children(Worker* w, Task* me, record::Stream* s) {
  Slot* slot = w->slot;
  const Team* team = w->team;
  bool just_ended = false;
  slot->deque.publish_long();
  do {
    if (EK_UNLIKELY(team->urgent_tasks.load(std::memory_order_relaxed) != 0)) return just_ended;
    Task* t = slot->deque.pop_short(me->base);
    if (!t) return just_ended;
    const uint16_t flags = t->flags;
    constexpr uint16_t kUsual = kTaskUntied | kTaskLongWay | kTaskRecorded;
    if (EK_UNLIKELY((flags & ~(kUsual | kTaskKmp)) || !(flags & kTaskRecorded))) {
      run_unusual(w, t);
      just_ended = false;
      continue;
    }
    s->task_start_next(t->record_id);
    if (EK_UNLIKELY(w->hints != nullptr)) forget_hints(w, t);
    t->base = slot->deque.bottom();
    t->owner.store(w->id, std::memory_order_relaxed);
    w->current = t;
    if (flags & kTaskKmp) {
      auto* kt = static_cast<KmpTask*>(t->body());
      kt->routine(w->id, kt);
      if (EK_UNLIKELY(t->flags & kTaskNextPart) && !run_rest(w, t)) {
        w->current = me;
        requeue(w, t);
        just_ended = false;
        continue;
      }
    } else {
      auto* body = static_cast<GompBody*>(t->body());
      body->fn(body->data);
    }
    w->current = me;
    s->task_end_next();
    Task* next = end_task<false, true>(w, t);
    just_ended = next == nullptr;
    if (EK_UNLIKELY(next != nullptr)) run_unusual(w, next);
  } while (outstanding(me) != 0);
  return just_ended;
}

}  // namespace

void begin_undeferred(Worker* w, Task* t, uint16_t flags, uint32_t site, bool depends, Caller caller) {
  init_task(w, t, flags);

  if (record::Stream* s = w->stream) {
    uint64_t now = record::now();
    t->record_id = s->task_create(s->undeferred_begins(now), now, site, t->depth, t->parent->record_id);
    s->task_start(now, t->record_id);
    if (w->tool) {
      ompt_frame_t& creator = w->tool->task->frame;
      creator.enter_frame.ptr = caller.frame();
      creator.enter_frame_flags = ompt_frame_runtime | ompt_frame_cfa;
      tool::task_create(w, t, ompt_task_undeferred, depends, caller);
      tool::task_create_end(w, t);
      tool::task_begin(w, t, caller.frame());
    }
  }
  ++t->parent->created;
  if (t->group) join_group(w, t->group);
  add(w->slot->created, std::memory_order_relaxed);
  if (EK_UNLIKELY(w->hints != nullptr)) {
    take_hints(w, t, nullptr, 0);
    begin_footprint(w, t);
    forget_hints(w, t);
  }
  t->base = w->slot->deque.bottom();
  t->owner.store(w->id, std::memory_order_relaxed);
  w->current = t;
}

void run_queued(Worker* w) {
  while (Task* t = w->slot->deque.pop(w->current->base)) run_task(w, t);
}

void end_undeferred(Worker* w, Task* t) {
  w->current = t->parent;
  const bool detached = EK_UNLIKELY(t->flags & kTaskDetach) && !(extra_of(t)->event.load(std::memory_order_acquire) & kFulfilled);
  if (EK_UNLIKELY(detached)) note_tasks(w);  // barriers count from here on
  if (record::Stream* s = w->stream) {
    s->task_end(record::now());
    if (w->tool) {
      tool::task_leave(w, detached ? ompt_task_detach : ompt_task_complete);
      w->tool->task->frame.enter_frame.ptr = nullptr;
    }
  }
  end_task(w, t);
  run_queued_outside_regions(w);
}

// Out of line: who is not recorded does without its frame.
EK_NOINLINE static void taskwait_recorded(Worker* w, Caller ra, uint16_t site_flags) {
  Task* t = w->current;
  record::Stream* s = w->stream;
  s->wait_begin(record::now(), s->site(record::Construct::taskwait, site_flags, current_function(w), ra));
  if (EK_LIKELY(t->flags & kTaskRecorded)) {
    if (outstanding(t) == 0) return s->wait_end_next();
    bool just_ended = !stack_is_low(w) && run_own_recorded_children(w, t, s);
    if (EK_LIKELY(outstanding(t) == 0)) return just_ended ? s->wait_end_next() : s->wait_end(record::now());
    wait_for_children(w);
  } else {
    tool::Sync sync(w, record::Construct::taskwait, site_flags, ra);
    if (outstanding(t) != 0) wait_for_children(w);
  }
  s->wait_end(record::now());
}

void taskwait(Worker* w, Caller ra, uint16_t site_flags) {
  Task* t = w->current;
  record::Stream* s = w->stream;
  if (EK_LIKELY(s == nullptr)) {
    if (outstanding(t) == 0) return;
    if (EK_LIKELY(!(t->flags & kTaskLongWay)) && EK_LIKELY(!stack_is_low(w))) {
      run_own_children(w, t);
      if (EK_LIKELY(outstanding(t) == 0)) return;
    }
    return wait_for_children(w);
  }
  taskwait_recorded(w, ra, site_flags);
}

void taskyield(Worker* w, Caller ra, uint16_t site_flags) {
  if (w->team->n == 1) return;
  record::Stream* s = w->stream;
  constexpr uint16_t kOfParts = kTaskKmp | kTaskUntied;
  if (Task* t = w->current; (t->flags & kOfParts) == kOfParts) t->flags |= kTaskYielded;
  if (s) s->yield(record::now(), s->site(record::Construct::taskyield, site_flags, current_function(w), ra));
  {
    tool::Inside inside(w, ra, ompt_state_overhead);
    if (w->tool) w->tool->yielding = true;
    run_one(w);
    if (w->tool) w->tool->yielding = false;
  }
  if (s) s->yield_end(record::now());
}

void taskgroup_begin(Worker* w, Taskgroup* g, const void* ra, uint16_t site_flags) {
  g->outer = w->current->group;
  g->owner.store(w, std::memory_order_relaxed);
  g->local = 0;
  g->balance.store(0, std::memory_order_relaxed);
  g->reductions = g->outer ? g->outer->reductions : w->team->reductions;
  g->cancelled.store(false, std::memory_order_relaxed);
  g->scope = Taskgroup::of_program;
  w->current->group = g;
  if (record::Stream* s = w->stream) {
    s->taskgroup_begin(record::now(), s->site(record::Construct::taskgroup, site_flags, current_function(w), ra));
    if (w->tool) tool::sync_event(w, ompt_callback_sync_region, ompt_sync_region_taskgroup, ompt_scope_begin, ra);
  }
}

void taskgroup_end(Worker* w, Caller ra, uint16_t site_flags) {
  Taskgroup* g = w->current->group;
  record::Stream* s = w->stream;
  if (s) s->wait_begin(record::now(), s->site(record::Construct::taskgroup, site_flags, current_function(w), ra));
  if (EK_LIKELY(s == nullptr)) {
    wait_for_group(w, g);
  } else {
    {
      tool::Sync sync(w, record::Construct::taskgroup, site_flags, ra);
      wait_for_group(w, g);
    }
    s->wait_end(record::now());
  }
  w->current->group = g->outer;
}

TaskloopSplit::TaskloopSplit(const Worker* w, uint64_t iterations, uint64_t grainsize, uint64_t num_tasks, bool strict)
    : iterations_(iterations) {
  if (iterations == 0) return;
  if (grainsize > 0) {
    // At least grainsize iterations a task, fewer than twice that; strict: exactly, but for the last task.
    tasks_ = iterations / grainsize;
    if (strict && iterations % grainsize) ++tasks_;
  } else {
    // Neither clause: enough for balance, few enough that creating them is cheap.
    tasks_ = num_tasks > 0 ? num_tasks : uint64_t(w->team->n) * 8;
  }
  if (tasks_ < 1) tasks_ = 1;
  if (tasks_ > iterations) tasks_ = iterations;
  bool exact = strict && grainsize > 0;
  each_ = exact ? grainsize : iterations / tasks_;
  longer_ = exact ? 0 : iterations % tasks_;
}

}  // namespace einkorn::runtime
