#include "runtime/task/merged.h"

#include "runtime/task/body.h"
#include "runtime/task/fast.h"

namespace einkorn::runtime {

void make_late_task(Worker* w) {
  const Task* merging = w->current;
  EK_ASSERT(merges(merging) && outstanding(merging) == 0);
  // What else the children of the latter are asked or told, it has of its creator.
  const Task* from = merging->parent;
  while (merges(from)) from = from->parent;
  auto flags = uint16_t(kTaskIsLate | (merging->flags & kTaskFinal) | (from->flags & kTaskSlowPath));
  if (flags & kTaskFinal) flags |= kTaskSlowPath;
  if (merging->notes & kUntiedMerges) flags |= kTaskUntied;
  Task* t = new_block(w, sizeof(GompBody));
  *static_cast<GompBody*>(t->body()) = {nullptr, nullptr};  // only what is recorded is asked for it
  init_task(w, t, flags);
  t->flags = flags;
  t->owner.store(w->id, std::memory_order_relaxed);
  count_task(w, t);
  put_on(w, t);
}

void end_late_task(Worker* w) {
  Task* t = w->current;
  EK_ASSERT(merges(t->parent));
  w->current = t->parent;
  end_task(w, t);
}

void end_undeferred_short(Worker* w, Task* t) {
  if (t->flags & kTaskIsLate) {
    end_late_task(w);
    t = w->current;
  }
  Task* me = t->parent;
  w->current = me;
  // Counted only now, as it outlives its creator's wait for it.
  ++me->created;
  add(w->slot->created, std::memory_order_relaxed);
  if (EK_UNLIKELY(t->flags & kTaskNextPart)) requeue(w, t);  // a procedure's, which gives way (instance.h)
  else end_task(w, t);
}

}  // namespace einkorn::runtime
