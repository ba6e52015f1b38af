// Explicit tasks: creation, execution, end, and waiting for them.
#pragma once
#include "base/clock.h"
#include "runtime/task/blocks.h"
#include "runtime/task/extra.h"
#include "runtime/task/instance.h"
#include "runtime/task/merged.h"
#include "runtime/sync/sleep.h"
#include "runtime/task/stack.h"

namespace einkorn::runtime {

// Children of t that have not ended. Called by the thread that runs t. Acquire: what those did that ended elsewhere;
// pairs with the release in child_done_elsewhere().
inline uint32_t outstanding(const Task* t) {
  return t->created - t->done - uint32_t(t->refs.load(std::memory_order_acquire));
}

// No children that have not ended, nor ended ones that have such. Called by the thread that runs t. Acquire: the last
// looks at t of who ended them, as t may be freed next; pairs with child_done_elsewhere() and free_zombies().
inline bool nothing_left_of(const Task* t) {
  return t->refs.load(std::memory_order_acquire) == Task::kAlive + int64_t(t->created - t->done);
}

// Is t a descendant of `ancestor`? t is queued, so all its ancestors are alive (see Task).
inline bool descends(const Task* t, const Task* ancestor) {
  while (t->depth > ancestor->depth) t = t->parent;
  return t == ancestor;
}

// The outlined function that the current task runs, nullptr outside all regions. Recording only: compilers jump into a
// barrier or taskwait at a function's end, and then the return address lies in the caller.
inline const void* current_function(Worker* w) {
  Task* t = w->current;
  if (t->flags & kTaskImplicit) return w->team->function;
  if (t->flags & kTaskKmp) return function_of_parts(t);
  return function_of_body(*static_cast<GompBody*>(t->body()));
}

// Fills in a new task as a child of the current one. Does not count it.
inline void init_task(Worker* w, Task* t, uint16_t flags) {
  Task* p = w->current;
  t->parent = p;
  t->group = p->group;
  t->refs.store(Task::kAlive, std::memory_order_relaxed);
  t->record_id = 0;
  t->created = 0;
  t->done = 0;
  t->icv = p->icv;
  t->depth = p->depth + 1;
  t->owner.store(kNoWorker, std::memory_order_relaxed);
  t->notes = 0;
  t->flags = flags | (p->flags & (kTaskSlowPath | kTaskRecorded)) | (flags & kTaskFinal ? kTaskSlowPath : 0);
}

inline void add(std::atomic<uint64_t>& own_counter, std::memory_order order) {
#if EK_TAIL_JUMPS
  (void)order;  // x86 keeps the order of stores. One instruction, not locked: nobody else writes it
  asm volatile("addq $1, %0" : "+m"(own_counter) : : "memory", "cc");
#else
  own_counter.store(own_counter.load(std::memory_order_relaxed) + 1, order);
#endif
}

// Where a group's tasks make tasks on many threads each of these takes counts ahead, and keeps those that come back:
// one word for all would be a line's way for each task and end.
// Always true: a thread holds counts of one group at most (Worker::credited), and only while it runs a task of that
// group, or of groups inside, or the one that has opened it; or in help_until(), until it finds no task or takes one of
// another group. So nobody waits for what it holds. It is asked where a task ends (leave_group()) or leaves its thread
// without having ended (requeue(), a detached one), and before a wait ends.
EK_NOINLINE void give_credit_back(Worker* w);
// So many are taken at once, and twice as many held at most. None where cancellation is enabled: a cancelled region's
// open groups are dropped, and nobody may come back to them.
inline constexpr int64_t kGroupCredit = 64;
// Without a call: who has nothing else to call needs no frame.
inline void join_group(Worker* w, Taskgroup* g) {
  if (g->owner.load(std::memory_order_relaxed) == w) {
    ++g->local;
  } else if (EK_LIKELY(w->credited == g) && EK_LIKELY(w->credit > 0)) {
    --w->credit;
  } else {
    const bool ahead = (w->credited == nullptr || w->credited == g) && !g_config.cancellation;
    g->balance.fetch_add(ahead ? 1 + kGroupCredit : 1, std::memory_order_relaxed);
    if (ahead) w->credited = g, w->credit = kGroupCredit;
  }
}
// As leave_group(), of a task whose parent, in the same group, is the current one: where that takes no more than a word
// of this thread's.
inline bool leave_group_short(Worker* w, Taskgroup* g) {
  if (g->owner.load(std::memory_order_relaxed) == w) return --g->local, true;
  if (w->credited != g || EK_UNLIKELY(w->credit >= 2 * kGroupCredit) || w->current->group != g) return false;
  return ++w->credit, true;
}
// The thread runs a task of g next, or goes on with one (nullptr: with none).
inline void keep_credit_of(Worker* w, const Taskgroup* g) {
  if (EK_UNLIKELY(w->credited != nullptr) && w->credited != g) give_credit_back(w);
}

EK_NOINLINE void mark_slot(Worker* w);
inline void note_tasks(Worker* w) {
  if (EK_UNLIKELY(!w->slot->has_tasks)) mark_slot(w);
}

// From here on whoever waits for the current task's children, group or team waits for t.
inline void count_task(Worker* w, Task* t) {
  note_tasks(w);
  ++t->parent->created;
  if (EK_UNLIKELY(t->group != nullptr)) join_group(w, t->group);
  add(w->slot->created, std::memory_order_relaxed);
}

void push_urgent(Team* team, Task* t);

// Has the program said of any task where it belongs, or what it reads and writes; or is a schedule led by that? Once
// set it stays.
extern std::atomic<bool> g_hinted;
// A task for which somebody has to be asked where it goes (placed.h)?
inline bool is_placed(const Worker* w, const Task* t) {
  return EK_UNLIKELY(t->flags & kTaskSlowPath) &&
         (EK_UNLIKELY(w->team->placed.load(std::memory_order_relaxed) != nullptr) ||
          EK_UNLIKELY(g_hinted.load(std::memory_order_relaxed)));
}
void submit_placed(Worker* w, Task* t);
void push_placed(Worker* w, Task* t);

// With a priority, an event of its own, or for the helpers (helpers.h).
void push_unusual(Worker* w, Task* t);

// From here on any thread may run it.
inline void push_task(Worker* w, Task* t) {
  if (is_placed(w, t)) return push_placed(w, t);
  if (EK_UNLIKELY(t->flags & (kTaskPriority | kTaskDetach))) return push_unusual(w, t);
  note_tasks(w);
  w->slot->deque.push(t);
  after_push(w);
}
// From a thread that is not in the team.
void push_elsewhere(Team* team, Task* t);

// Who creates tasks faster than all others run them would fill the memory: with so many in its queue it runs the next
// itself.
inline constexpr int64_t kMostQueued = 1 << 16;
// Runs a task that was taken from a queue, or could not be queued.
void run_task(Worker* w, Task* t);

// clang makes an untied task of parts: at its beginning and at each scheduling point in its own text (behind a new
// task, behind a taskwait, which has waited by then) it hands itself over and returns, to be called again for what
// follows. Nothing keeps it from that, so the thread goes on with the next part, as with a tied task: others take its
// children, not what is left of it. To queue the parts would take two locked operations for each, and would begin all
// tasks of a recursion before any of them has ended. Behind a taskyield in a deferred task, though, others come first,
// if there are any. After a part has returned. False: the next one is not run, and is to be queued.
EK_NOINLINE bool goes_behind_others(const Worker* w);
template <bool deferred = true>
inline bool run_next_parts(Worker* w, Task* t) {
  auto* kt = static_cast<KmpTask*>(t->body());
  for (uint16_t flags; EK_UNLIKELY((flags = t->flags) & kTaskNextPart);) {
    if (EK_UNLIKELY(flags & kTaskOnStack)) return false;  // it has given way (instance.h)
    if (EK_UNLIKELY(flags & kTaskYielded) && deferred && goes_behind_others(w)) return false;
    t->flags = uint16_t(flags & ~(kTaskNextPart | kTaskYielded));
    kt->routine(w->id, kt);
  }
  return true;
}

// Queues a task made by init_task(). With dependences: submit_dependent() (depend.h).
inline void submit(Worker* w, Task* t) {
  if (is_placed(w, t)) return submit_placed(w, t);
  count_task(w, t);
  if (EK_UNLIKELY(t->flags & kTaskPriority)) {
    if (w->team->urgent_tasks.load(std::memory_order_relaxed) >= uint32_t(kMostQueued)) return run_task(w, t);
    push_urgent(w->team, t);
  } else if (EK_UNLIKELY(!w->slot->deque.try_push(t, kMostQueued))) {
    return run_task(w, t);
  }
  after_push(w);
}
// The same for one that is known to have no priority.
inline void submit_plain(Worker* w, Task* t) {
  EK_ASSERT(!(t->flags & kTaskPriority));
  if (is_placed(w, t)) return submit_placed(w, t);
  count_task(w, t);
  if (EK_UNLIKELY(!w->slot->deque.try_push(t, kMostQueued))) return run_task(w, t);
  after_push(w);
}

// helps: within help_until(), which asks what comes next.
void leave_group(Worker* w, Taskgroup* g, uint32_t count = 1, bool helps = false);
void child_done_elsewhere(Worker* w, Task* parent, Team* team, uint32_t count = 1);
void end_with_children(Worker* w, Task* t, Team* team);
// A task of that team ends on any thread, of any team or none, which need not have run it. Its extra is gone already.
void end_task_anywhere(Worker* w, Task* t, Team* team);
// Tells the parent of the tasks in Worker::ended, and the team.
EK_NOINLINE void count_ended(Worker* w);

// The parent, the group and the team are told of the end of a task on w.
template <bool batch>
inline void count_end(Worker* w, Task* p, Taskgroup* g) {
  // Who waits runs children of the task that waits, or others', whose parent is not looked at: in its line all thieves
  // count. (A parent that ran here has ended by then, and what its thread does not count itself it may count as others
  // do.)
  if (EK_LIKELY(batch ? p == w->current : p->owner.load(std::memory_order_relaxed) == w->id)) {
    ++p->done;
  } else if constexpr (batch) {
    EK_ASSERT(w->ended == 0 || (w->ended_parent == p && w->ended_group == g && w->ended_slot == w->slot));
    w->ended_parent = p;
    w->ended_group = g;
    w->ended_slot = w->slot;
    ++w->ended;
    return;
  } else {
    child_done_elsewhere(w, p, w->team);
  }
  if (EK_UNLIKELY(g != nullptr)) leave_group(w, g, 1, batch);
  // Last: a barrier may complete on this count, and then the team's implicit tasks are set up anew. Release orders all
  // that the task did before it.
  add(w->slot->executed, std::memory_order_release);
}

// The same for a task with an extra: its dependences are released. A detached task of which the event is not fulfilled
// ends when that is, and may have done so already.
template <bool batch, bool keeps>
Task* end_task_with_extra(Worker* w, Task* t);

// The task's body has returned on w. batch: a thief runs several children of one task one after the other, and tells
// their parent and group, whose lines are elsewhere, of all of them at once, with count_ended() before it does anything
// else: until then these wait for the one that runs, in any case. keeps: a task that became ready may be returned, and
// is in no queue then: the caller runs it next. Only of a task that was queued itself, which never lies on a stack.
template <bool batch = false, bool keeps = false>
inline Task* end_task(Worker* w, Task* t) {
  t->owner.store(kNoWorker, std::memory_order_relaxed);
  if (EK_UNLIKELY(t->flags & kTaskExtra)) return end_task_with_extra<batch, keeps>(w, t);
  if (EK_LIKELY(nothing_left_of(t))) {
    Task* p = t->parent;
    Taskgroup* g = t->group;
    if (keeps || !(t->flags & kTaskOnStack)) free_block(w, t);
    count_end<batch>(w, p, g);
  } else {
    end_with_children(w, t, w->team);
    // Release: the body, and that its children were counted as created, for no_tasks().
    add(w->slot->executed, std::memory_order_release);
  }
  return nullptr;
}

// run_task() in a loop that calls count_ended() before it does anything else, and first runs what it returns, if
// anything.
Task* run_task_of_batch(Worker* w, Task* t);

// Must the task run at once? Children of a final task are final too; who captures runs none. In a team of one nobody
// else would run it; but there a recursion of tasks is queued when the stack runs low, which makes it flat: a task of
// the region will run it, or its end.
inline bool runs_at_once(const Worker* w, bool if_clause) {
  const uint16_t flags = w->current->flags;
  if (EK_UNLIKELY(!if_clause || (flags & (kTaskFinal | kTaskCaptures)))) return !(flags & kTaskCaptures);
  if (EK_LIKELY(w->team->n > 1)) return false;
  return EK_LIKELY(!stack_is_low(w)) || (w->team->level == 0 && (w->current->flags & kTaskImplicit));
}

// Of record::SiteFlags: does a task run at once, and by whose choice? kInlined: by the runtime's.
inline constexpr uint16_t kDeferred = 0, kInlined = record::kSiteUndeferred | record::kSiteInlined;
// Where runs_at_once(): by the program's word, in every run (if(false), a child of a final task; outside of all
// regions, where there never is anybody else), or because the runtime sees nobody who could run it?
inline uint16_t at_once_site(const Worker* w, bool if_clause) {
  const bool by_the_program = !if_clause || (w->current->flags & kTaskFinal) || w->team->level == 0;
  return by_the_program ? uint16_t(record::kSiteUndeferred) : kInlined;
}

// A task that its creator runs at once (if(false), child of a final task, a team of one), between these two calls.
// Its block may lie on the stack where no child of it can outlive it: then t is caller's, else from new_block().
void begin_undeferred(Worker* w, Task* t, uint16_t flags, uint32_t site, bool depends, Caller caller);
void end_undeferred(Worker* w, Task* t);
// All descendants of a final task run at once, within it.
inline bool children_stay_within(uint16_t flags) { return flags & kTaskFinal; }

// ---- detached tasks (the handle of their event is the task itself) -------------------------------------------------
// Before the task is queued or begun. It must not lie on the stack.
void make_detachable(Worker* w, Task* t);
void fulfill_event(Worker* w, Task* t);
// An undeferred task's body has returned, and its creator may not go on before the event. (Without this, a detached
// task of which only the body has ended lives on after end_undeferred().)
void wait_for_event(Worker* w, Task* t);

// Tasks of the team that have not ended, as far as the calling thread has counted: exact in a team of one. Acquire:
// what tasks did that others ended (end_task_anywhere()).
inline bool has_unfinished_tasks(const Worker* w) {
  const Team* team = w->team;
  if (team->n > 1) return true;
  return w->slot->created.load(std::memory_order_relaxed) !=
         w->slot->executed.load(std::memory_order_relaxed) + team->executed_elsewhere.load(std::memory_order_acquire);
}
// May a task of a team of one be queued all the same?
inline bool may_defer_alone(const Worker* w, bool if_clause) { return if_clause && !(w->current->flags & kTaskFinal); }
// Outside all regions no barrier comes: what was queued there, for lack of stack or to wait for an event, is run as
// soon as it can be. After a task has been queued or has ended.
EK_NOINLINE void run_queued(Worker* w);
inline void run_queued_outside_regions(Worker* w) {
  if (EK_UNLIKELY(w->team->level == 0) && w->slot->deque.bottom() != w->current->base() && !stack_is_low(w, 64 << 10))
    run_queued(w);
}

void taskwait(Worker* w, Caller caller, uint16_t site_flags);
void taskyield(Worker* w, Caller caller, uint16_t site_flags);
// Room for a Taskgroup, where the entry points give none: from the free lists, as a task block without a task.
inline Taskgroup* new_group(Worker* w) { return static_cast<Taskgroup*>(new_block(w, sizeof(Taskgroup))->body()); }
inline void free_group(Worker* w, Taskgroup* g) { free_block(w, reinterpret_cast<Task*>(g) - 1); }
void enter_group(Worker* w, Taskgroup* g);  // without anybody hearing of it; to be left as taskgroup_end() does
void taskgroup_begin(Worker* w, Taskgroup* g, const void* caller, uint16_t site_flags);
void taskgroup_end(Worker* w, Caller caller, uint16_t site_flags);

}  // namespace einkorn::runtime
