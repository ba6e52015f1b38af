// Deferred target tasks (target constructs with nowait) run on threads of their own: the thread that meets the
// construct goes on beside them, also where no other thread of its team could run them. As libomp's hidden helper
// threads. The runtime makes a helper when a task is there and no helper waits; helpers sleep while there are no tasks.
//
// A target task is counted like any other where it is created, so that waits and barriers know it. In its
// TaskExtra::event it has the bit kOnHelper: who finds it ready gives it to the helpers and puts it into no queue of a
// team. It belongs to its creator's team until it ends there, on a helper, which is in no team of the program's.
#pragma once
#include "runtime/task/create.h"

namespace einkorn::runtime {

// Makes `t`, which is neither queued nor begun, a target task; and makes it an ordinary task again.
void make_target_task(Worker* w, Task* t);
void make_ordinary(Worker* w, Task* t);
inline bool is_target_task(Task* t) {
  return EK_UNLIKELY(t->flags & kTaskDetach) && (extra_of(t)->event.load(std::memory_order_relaxed) & kOnHelper);
}

// Would helpers take a task now? Not where the user has switched them off, where the system makes no threads, and
// while too many tasks wait for them.
bool helpers_take_tasks();
// A target task that waits for nobody any more. Any thread.
void give_to_helpers(Task* t);
// At the end of the program, which calls exit() on this thread: waits until the target tasks have ended. Not on a
// helper.
void await_target_tasks();
// Ends the helpers when they have nothing to do, and waits for that, but not for ever.
void end_helpers();
// In the child of a fork, where only the calling thread lives. The parent's target tasks are the parent's alone.
void helpers_after_fork();

template <class Body, class Observer>
__attribute__((noinline)) void create_on_helper(Worker* w, Body body, Clauses c, Caller caller, Observer) {
  if (body.is_dropped(w, true)) return;
  typename Observer::Creation creation(w, caller);
  Task* t = body.make(w);
  if (!is_target_task(t)) make_target_task(w, t);
  creation.set_up(t, body.told_flags(), c.count != 0);
  body.fill(t);
  creation.made(t, [&] { return body.site(w, record::Construct::task, kDeferred, caller); });
  if (c.count != 0) return submit_dependent(w, t, c.list, c.count);
  count_task(w, t);
  give_to_helpers(t);
}

// The task of a target construct, as create() in create.h makes others. alone: the host runs it, so that a team of more
// than one thread needs no helper for it.
template <class Body>
void create_target(Worker* w, Body body, const Clauses& c, bool alone, Caller caller) {
  const bool helps = c.if_clause && !(w->current->flags & (kTaskFinal | kTaskCaptures)) &&
                     (!alone || w->team->n == 1) && helpers_take_tasks();
  if (!helps) {
    if constexpr (requires { body.task; }) make_ordinary(w, body.task);
    return create(w, body, c, caller);
  }
  own_task(w);
  observe::with_observer(w, [&](auto observer) { create_on_helper(w, body, c, caller, observer); });
}

}  // namespace einkorn::runtime
