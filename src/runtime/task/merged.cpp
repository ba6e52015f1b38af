#include "runtime/task/merged.h"

#include "runtime/task/body.h"
#include "runtime/task/fast.h"

namespace einkorn::runtime {

namespace {

// The end of the current task, which was not counted when it began: nobody could wait for it while it ran. It is now,
// if something of it is left.
void end_uncounted(Worker* w, Task* t) {
  Task* p = t->parent;
  w->current = p;
  constexpr uint16_t kLeavesSomething = kTaskExtra | kTaskNextPart;
  if (EK_LIKELY(!(t->flags & kLeavesSomething)) && EK_LIKELY(nothing_left_of(t))) {
    Taskgroup* g = t->group;
    free_block(w, t);
    if (g != nullptr) leave_group(w, g);
    return;
  }
  ++p->created;
  add(w->slot->created, std::memory_order_relaxed);
  if (EK_UNLIKELY(t->flags & kTaskNextPart)) requeue(w, t);  // a procedure's, which gives way (instance.h)
  else end_task(w, t);
}

}  // namespace

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
  // Only what is recorded is asked for its function; the word beside it is ours.
  *static_cast<GompBody*>(t->body()) = {nullptr, reinterpret_cast<void*>(uintptr_t(w->calls))};
  init_task(w, t, flags);
  t->flags = flags;
  t->depth = merging->depth + w->calls;
  w->calls = 0;
  if (t->group != nullptr) join_group(w, t->group);
  if (EK_UNLIKELY(w->hints != nullptr)) forget_hints(w, t);
  t->owner.store(w->id, std::memory_order_relaxed);
  put_on(w, t);
}

void end_late_task(Worker* w) {
  Task* t = w->current;
  EK_ASSERT(merges(t->parent));
  w->calls = uint32_t(reinterpret_cast<uintptr_t>(static_cast<GompBody*>(t->body())->data));
  end_uncounted(w, t);
}

void end_undeferred_short(Worker* w, Task* t) {
  if (t->flags & kTaskIsLate) {
    end_late_task(w);
    t = w->current;
  }
  end_uncounted(w, t);
}

}  // namespace einkorn::runtime
