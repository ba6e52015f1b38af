#include "codelet/stretches.h"

#include "codelet/unwinding.h"
#include "runtime/sync/wait.h"

namespace einkorn::codelet {

using namespace runtime;

namespace {

// Where tasks take the slow path: as a taskwait does, or as if there was none. False: some children are left.
__attribute__((noinline)) bool wait_long(Worker* w, Task* t, const Instance* me) {
  // All its descendants run within it.
  if (t->flags & kTaskFinal) return wait_as_task(w, me), true;
  if (!has_stack(w)) return false;
  ++w->nested_instances;
  run_children_at_hand(w);
  --w->nested_instances;
  return outstanding(t) == 0;
}

// Its own memory is given back. True: nothing is left of it, and all who are told of its end are this thread's: its
// block is a spare one, and it has left its group.
__attribute__((always_inline)) inline bool end_short(Worker* w, const Task* me, uint64_t here) {
  if (EK_UNLIKELY(state(me) != here)) {
    end_own(w, me);
    if (EK_UNLIKELY(state(me) != with_own_apart(here))) return false;
  }
  return EK_LIKELY(me->created == me->done) &&
         // Acquire: as nothing_left_of().
         EK_LIKELY(me->refs.load(std::memory_order_acquire) == Task::kAlive) &&
         (EK_LIKELY(me->group == nullptr) || leave_group_short(w, me->group));
}

__attribute__((always_inline)) inline void count_short_end(Worker* w, Slot* slot, Task* parent, Task* me) {
  put_spare(w, me);
  ++parent->done;
  add(slot->executed, std::memory_order_release);  // as in count_end()
}

__attribute__((noinline)) void end_any(Worker* w, Task* me) {
  if (Task* ready = end_task<false, true>(w, me)) run_task(w, ready);
}

// Of `parent`, which runs here, and an instance, to be begun in its place: it is this thread's then. t was popped, and
// is nobody else's.
__attribute__((always_inline)) inline bool is_child_instance(Worker* w, const Task* parent, Task* t, uint64_t here) {
  if (EK_UNLIKELY(t->parent != parent)) return false;
  if (EK_LIKELY(state(t) == here)) {
    EK_ASSERT(instance_of(t)->call == run_stretches);  // of tasks only such are this thread's before they are begun
    return true;
  }
  if (EK_LIKELY(state(t) == with_own_apart(here))) return begin_own(w, t), true;
  if (t->flags != kTaskKmp || instance_of(t)->call != run_stretches) return false;
  t->owner.store(WorkerId(here), std::memory_order_relaxed);  // see Task; the thread itself goes by it
  begin_own(w, t);
  return true;
}

}  // namespace

void wait_as_task(Worker* w, const Instance* me) {
  const auto* const at = reinterpret_cast<const void*>(me->procedure->run);
  taskwait(w, Caller(&at), 0);
}

__attribute__((noinline)) Task* leave(Worker* w, Task* root, Task* me) {
  give_way(me);
  if (me == root) return nullptr;
  Task* const parent = me->parent;
  w->current = parent;
  requeue(w, me);
  return parent;
}

void run_stretches_of(Worker* w, Task* const root, int why) {
  const uint64_t here = state_here(w);
  Slot* const slot = w->slot;
  Task* me = root;
  Instance* i = instance_of(root);
  if (EK_UNLIKELY(!is_of_region(why))) goto waits;
stretch:
  i = instance_of(me);
same:
  EK_NOTHING_LEAVES_TO_HERE(ek_left_task);
  why = i->procedure->run(i);
  EK_ASSERT(w->current == me);
  if (EK_LIKELY(why == kEnd)) {
    if (me == root) return;
    Task* parent = me->parent;
    w->current = parent;
    if (end_short(w, me, here)) {
      count_short_end(w, slot, parent, me);
    } else {
      end_any(w, me);
    }
    me = parent;
    if (outstanding(me) == 0) goto stretch;
  } else {
    if (EK_UNLIKELY(!waits_for_children(*i, why))) goto same;
    if (outstanding(me) == 0) goto same;
  waits:
    if (EK_UNLIKELY(me->flags & (kTaskSlowPath | kTaskFinal))) {
      if (wait_long(w, me, i)) goto stretch;
      me = leave(w, root, me);
      if (me == nullptr) return;
    }
    slot->deque.publish_long();
  }
  // It waits. Its children at hand, those of who left it here too: the youngest first.
  for (;;) {
    Task* t =
        EK_LIKELY(w->team->urgent_tasks.load(std::memory_order_relaxed) == 0) ? pop_short(slot, me->base()) : nullptr;
    if (EK_UNLIKELY(t == nullptr)) {
      if (outstanding(me) == 0) goto stretch;
      me = leave(w, root, me);
      if (me == nullptr) return;
      continue;
    }
    if (EK_LIKELY(is_child_instance(w, me, t, here))) {
      t->set_base(slot->deque.bottom());  // put_on(), by the slot in hand
      w->current = t;
      me = t;
      goto stretch;
    }
    // Not a child of its own, or a task: that one needs stack. Where there is none left who waits gives way.
    if (EK_UNLIKELY(!has_stack(w))) {
      push_task(w, t);
      me = leave(w, root, me);
      if (me == nullptr) return;
      continue;
    }
    ++w->nested_instances;
    run_popped(w, me, t);
    --w->nested_instances;
    if (outstanding(me) == 0) goto stretch;
  }
}

int32_t run_stretches(int32_t, KmpTask* body) {
  Worker* w = t_worker;
  Task* t = reinterpret_cast<Task*>(body) - 1;
  with_own(w, t, [&] {
    if (EK_UNLIKELY(w->stream != nullptr)) run_recorded_stretches(w, t);
    else run_stretches_of(w, t, kSync);
  });
  return 0;
}

}  // namespace einkorn::codelet
