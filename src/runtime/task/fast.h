// The shortest way through creating a task, for tasks with nothing special about them created by a task without
// kTaskSlowPath. What is done is what init_task(), submit_plain() and run_task() do, in fewer instructions: with fine
// tasks these are what a program's time goes into, and two threads that each pass three hundred of them a task cannot
// make a task in less than 20 ns.
#pragma once
#include <cstring>

#include "runtime/task/body.h"
#include "runtime/task/merged.h"

namespace einkorn::runtime {

static_assert(offsetof(Task, created) + 4 == offsetof(Task, done) && offsetof(Task, created) % 8 == 0);
static_assert(offsetof(Task, icv) + 4 == offsetof(Task, depth) && offsetof(Task, icv) % 8 == 0);
static_assert(offsetof(Task, owner) + 2 == offsetof(Task, flags) && offsetof(Task, owner) % 4 == 0);

// Is there nothing unusual about what the current task's children are to be asked or told?
inline bool has_short_children(const Worker* w) { return !(w->current->flags & kTaskSlowPath); }

// May they be made and queued here, without a call on the way? If the queue has room.
inline bool is_fast_path(const Worker* w) { return EK_LIKELY(has_short_children(w)) && EK_LIKELY(w->slot->has_tasks); }

// Of such a child where is_fast_path() says no: does it go the way of a full queue all the same? A thread whose tasks
// are tried first has no room before it has queued one, and so no mark that there is any.
inline bool is_tried_first(const Worker* w) { return has_short_children(w) && !w->slot->deque.has_room(); }

// What a new task has of the current one, of which it is a child. Two fields at a time, which the compiler would leave
// apart. Parent and group last: then the compiler still knows them when the task is queued.
inline void inherit(Worker* w, Task* t) {
  Task* p = w->current;
  uint64_t icv_and_depth;
  memcpy(&icv_and_depth, reinterpret_cast<const char*>(p) + offsetof(Task, icv), sizeof icv_and_depth);
  icv_and_depth += uint64_t(1) << 32;
  memcpy(reinterpret_cast<char*>(t) + offsetof(Task, icv), &icv_and_depth, sizeof icv_and_depth);
  Taskgroup* g = p->group;
  t->parent = p;
  t->group = g;
}

// A child of the current task in that block, but for its owner and flags.
inline void init_child(Worker* w, Task* t) {
  t->refs.store(Task::kAlive, std::memory_order_relaxed);
  t->record_id = 0;
  const uint64_t none = 0;
  memcpy(reinterpret_cast<char*>(t) + offsetof(Task, created), &none, sizeof none);
  inherit(w, t);
}

inline void init_short(Worker* w, Task* t, uint16_t flags, WorkerId owner = kNoWorker) {
  if constexpr (kWatched) {
    // Who ended the block's former task elsewhere may still ask for its owner (child_done_elsewhere()).
    t->owner.store(owner, std::memory_order_relaxed);
    t->flags = flags;
  } else {
    uint32_t owner_and_flags = uint32_t(flags) << 16 | owner;
    memcpy(reinterpret_cast<char*>(t) + offsetof(Task, owner), &owner_and_flags, sizeof owner_and_flags);
  }
  init_child(w, t);
}

// From here on any thread may run it. What it returns, if not 0, is share_work()'s, which has to be called: in tail
// position, so that the entry points need no frame.
inline uint64_t queue_short(Worker* w, Task* t) {
  Slot* slot = w->slot;
  ++t->parent->created;
  if (EK_UNLIKELY(t->group != nullptr)) join_group(w, t->group);
  add(slot->created, std::memory_order_relaxed);
  slot->deque.push_into_room(t);
  fast_fence();  // orders the store of bottom before the load of idle; pairs with heavy_fence() in sleep()
  return w->team->idle.load(std::memory_order_relaxed);
}
inline void submit_short(Worker* w, Task* t) {
  const uint64_t idle = queue_short(w, t);
  if (EK_UNLIKELY(idle != 0)) share_work(w, idle);
}

// The youngest task of the own queue with index >= base, or nullptr: Deque::pop() without kTaskSlowPath.
inline Task* pop_short(Slot* slot, int64_t base) {
  if constexpr (kWatched) return slot->deque.pop(base);
  else return slot->deque.pop_short(base);
}

// What a child of the current task with these flags is, too.
inline uint16_t inherited_short(const Worker* w, uint16_t flags) {
  flags |= w->current->flags & (kTaskFinal | kTaskSlowPath);
  return flags & kTaskFinal ? flags | kTaskSlowPath : flags;
}

// A child of the current task, run at once: begin_undeferred(), the body, end_undeferred(). For who is not recorded,
// with cancellation disabled and no low stack. What may then be queued outside regions is the caller's to run. Not
// counted unless something of it is left: nobody can wait for it while it runs. flags: with what the child inherits,
// see inherited_short(). size_class: the block's, if it came from w's own lists; kHuge: any block. What is needed
// behind the body is read again there: each register that is to outlive it costs a store and a load here.
template <class Body>
inline void run_undeferred_short(Worker* w, Task* child, uint16_t flags, uint8_t size_class, Body&& body) {
  constexpr uint16_t kBefore =
      kTaskUntied | kTaskFinal | kTaskKmp | kTaskSlowPath | kTaskMerges;  // what the body adds is something to do
  EK_ASSERT(!(flags & ~kBefore));
  init_short(w, child, flags, w->id);
  if (EK_UNLIKELY(child->group != nullptr)) join_group(w, child->group);
  put_on(w, child);
  body();
  Task* t = w->current;
  if (EK_LIKELY(!(t->flags & ~kBefore)) && EK_LIKELY(nothing_left_of(t))) {
    w->current = t->parent;
    Taskgroup* g = t->group;
    if (size_class == kHuge) free_block(w, t);
    else free_own_block(w, t, size_class);
    if (EK_UNLIKELY(g != nullptr)) leave_group(w, g);
  } else {
    end_undeferred_short(w, t);
  }
}

}  // namespace einkorn::runtime
