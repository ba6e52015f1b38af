// Explicit tasks: creation, execution, end, and waiting for them.
#pragma once
#include "record/clock.h"
#include "runtime/blocks.h"
#include "runtime/sleep.h"

namespace einkorn::runtime {

// Children of t that have not ended. Called by the thread that runs t.
inline uint32_t outstanding(const Task* t) {
  return t->created - t->done - uint32_t(t->refs.load(std::memory_order_acquire));
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
  if (t->flags & kTaskKmp) return reinterpret_cast<const void*>(static_cast<KmpTask*>(t->body())->routine);
  return reinterpret_cast<const void*>(static_cast<GompBody*>(t->body())->fn);
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
  t->flags = flags;
}

inline void add(std::atomic<uint64_t>& own_counter, std::memory_order order) {
  own_counter.store(own_counter.load(std::memory_order_relaxed) + 1, order);
}

inline void join_group(Worker* w, Taskgroup* g) {
  if (g->owner == w) ++g->local;
  else g->balance.fetch_add(1, std::memory_order_relaxed);
}

// Queues a task made by init_task(): from here on any thread may run it.
inline void submit(Worker* w, Task* t) {
  ++t->parent->created;
  if (EK_UNLIKELY(t->group != nullptr)) join_group(w, t->group);
  add(w->slot->created, std::memory_order_relaxed);
  w->slot->deque.push(t);
  after_push(w);
}

void leave_group(Worker* w, Taskgroup* g);
void child_done_elsewhere(Worker* w, Task* parent);
void end_with_children(Worker* w, Task* t);

// The task's body has returned on w.
inline void end_task(Worker* w, Task* t) {
  t->owner.store(kNoWorker, std::memory_order_relaxed);
  if (EK_LIKELY(t->refs.load(std::memory_order_acquire) == Task::kAlive + int64_t(t->created - t->done))) {
    Task* p = t->parent;
    Taskgroup* g = t->group;
    if (!(t->flags & kTaskOnStack)) free_block(w, t);
    if (EK_LIKELY(p->owner.load(std::memory_order_relaxed) == w->id)) ++p->done;
    else child_done_elsewhere(w, p);
    if (EK_UNLIKELY(g != nullptr)) leave_group(w, g);
  } else {
    end_with_children(w, t);
  }
  // Last: a barrier may complete on this count, and then the team's implicit tasks are set up anew. Release orders all
  // that the task did before it.
  add(w->slot->executed, std::memory_order_release);
}

// Runs a task that was taken from a queue.
void run_task(Worker* w, Task* t);

// A task that its creator runs at once (if(false), child of a final task, a team of one), between these two calls.
// Its block may lie on the stack where no child of it can outlive it: then t is caller's, else from new_block().
void begin_undeferred(Worker* w, Task* t, uint16_t flags, uint32_t site);
void end_undeferred(Worker* w, Task* t);
inline bool children_stay_within(const Worker* w, uint16_t flags) { return w->team->n == 1 || (flags & kTaskFinal); }

void taskwait(Worker* w, const void* return_address, uint16_t site_flags);
void taskyield(Worker* w, const void* return_address, uint16_t site_flags);
// Room for a Taskgroup, where the entry points give none: from the free lists, as a task block without a task.
inline Taskgroup* new_group(Worker* w) { return static_cast<Taskgroup*>(new_block(w, sizeof(Taskgroup))->body()); }
inline void free_group(Worker* w, Taskgroup* g) { free_block(w, reinterpret_cast<Task*>(g) - 1); }
void taskgroup_begin(Worker* w, Taskgroup* g, const void* return_address, uint16_t site_flags);
void taskgroup_end(Worker* w, const void* return_address, uint16_t site_flags);

// Number of tasks for a taskloop over `iterations`: by grainsize or num_tasks (one of them 0), strict or not.
uint64_t taskloop_tasks(const Worker* w, uint64_t iterations, uint64_t grainsize, uint64_t num_tasks, bool strict);

}  // namespace einkorn::runtime
