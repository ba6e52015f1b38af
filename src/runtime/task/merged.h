// Tasks that are calls.
//
// A task that runs at once is a task all the same: it has control variables of its own, and what it creates is its
// child, not its creator's. But most never make use of that. So one that runs at once, with nothing special about it,
// merges what it creates: of those that run at once in turn, and are not special either, the function is called, and
// that is all. What needs a task (a child that is queued, a taskgroup, a control variable that changes, a lock that has
// an owner) asks for own_task(), and makes the one that there is not: a late task, which is the current one from there
// to the end of the call.
//
// Invariants. The current task merges => no child of it is left to wait for: those that were called are over, and so is
// each late task when the call that it belonged to is. So a taskwait anywhere below has nothing to wait for, and a late
// task's children are nobody's but its own. (They may outlive it: then it holds its parent, which is not waited for.)
// The current task is late => its parent merges. Worker::calls: so many calls there are below the current task, if it
// merges, else 0; a late task is as deep as the one that was called, or as the merging one itself. Nothing merges in a
// program that is recorded or may cancel.
#pragma once
#include "runtime/types.h"

namespace einkorn::runtime {

// clang's untied tasks have the bit for something else.
inline bool merges(const Task* t) { return (t->flags & (kTaskMerges | kTaskUntied)) == kTaskMerges; }

// What the compiler has made of its construct's code.
inline const void* function_of_merging(Task* t) {
  if (t->flags & kTaskKmp) return reinterpret_cast<const void*>(static_cast<KmpTask*>(t->body())->routine);
  return reinterpret_cast<const void*>(static_cast<GompBody*>(t->body())->fn);
}

// The current task merges: from here on it is a late one.
EK_NOINLINE void make_late_task(Worker* w);

// The current task, for what only a task of its own may be asked or told.
inline Task* own_task(Worker* w) {
  if (EK_UNLIKELY(merges(w->current))) make_late_task(w);
  return w->current;
}

EK_NOINLINE void end_late_task(Worker* w);
inline void end_late_task_if_any(Worker* w) {
  if (EK_UNLIKELY(w->current->flags & kTaskIsLate)) end_late_task(w);
}
// At the end of a call, which was counted before: a late task ends with it.
inline void after_call(Worker* w) {
  end_late_task_if_any(w);
  --w->calls;
}

// The end of a task that was run by run_undeferred_short(), which is not the usual one: it has children, or there is a
// late task.
EK_NOINLINE void end_undeferred_short(Worker* w, Task* current);

// Of a task that runs at once and is to merge: its flags. The block's notes keep what a late one has of them.
inline uint16_t merging(Task* t, uint16_t flags, uint8_t notes = 0) {
  t->notes = uint8_t(notes | (flags & kTaskUntied ? kUntiedMerges : 0));
  return uint16_t((flags & ~kTaskUntied) | kTaskMerges | kTaskSlowPath);
}

}  // namespace einkorn::runtime
