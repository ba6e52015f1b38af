// One way to run a task's body, whichever compiler made it and whoever hears of it (observe/observers.h).
#pragma once
#include "runtime/observe/observers.h"
#include "runtime/task/cancel.h"
#include "runtime/task/footprint.h"
#include "runtime/task/task.h"

namespace einkorn::runtime {

// ---- what a body is -------------------------------------------------------------------------------------------------
inline void call_gomp(Task* t) {
  auto* body = static_cast<GompBody*>(t->body());
  body->fn(body->data);
}
inline void call_kmp(Worker* w, Task* t) {
  auto* kt = static_cast<KmpTask*>(t->body());
  kt->routine(w->id, kt);
}
// clang's task with private data that have destructors: after the last of its parts.
inline void destroy_privates(Worker* w, Task* t) {
  auto* kt = static_cast<KmpTask*>(t->body());
  if (t->flags & kTaskDestructors) reinterpret_cast<int32_t (*)(int32_t, KmpTask*)>(kt->data1)(w->id, kt);
}

// Any task's body. called: else it was cancelled. False: clang's untied task has yielded, and goes on behind others.
inline bool call_body(Worker* w, Task* t, bool called) {
  if (!(t->flags & kTaskKmp)) {
    if (EK_LIKELY(called)) call_gomp(t);
    return true;
  }
  if (EK_LIKELY(called)) call_kmp(w, t);
  if (EK_LIKELY(!(t->flags & (kTaskDestructors | kTaskNextPart)))) return true;
  if (!run_next_parts(w, t)) return false;
  destroy_privates(w, t);
  return true;
}

// The next part of clang's untied task, behind a taskyield: to the inbox, behind what waits already. It may run
// anywhere.
EK_NOINLINE void requeue(Worker* w, Task* t);

// ---- how it is run --------------------------------------------------------------------------------------------------
// t is what runs on the thread now, on top of what was. Its owner is set apart: some are made with it.
__attribute__((always_inline)) inline void put_on(Worker* w, Task* t) {
  t->set_base(w->slot->deque.bottom());
  w->current = t;
}

// plain: with nothing special about it but that it may be recorded: neither placed nor cancelled.
enum class Kind { plain, any };

template <Kind kind, class Observer>
__attribute__((always_inline)) inline void begin_body(Worker* w, Task* t, const Observer& observer) {
  observer.starts(t);
  if (kind == Kind::any && EK_UNLIKELY(g_footprints)) begin_footprint(w, t);
  if ((kind == Kind::any || Observer::kHears) && EK_UNLIKELY(w->hints != nullptr)) forget_hints(w, t);
  t->owner.store(w->id, std::memory_order_relaxed);  // see Task; the thread itself goes by it
  put_on(w, t);
}

// t's body, called as call(called), on top of `before`. False: it has not come to its end, and is queued again.
template <Kind kind, class Observer, class Call>
__attribute__((always_inline)) inline bool run_body(Worker* w, Task* t, Task* before, const Observer& observer,
                                                    Call&& call) {
  begin_body<kind>(w, t, observer);
  if constexpr (Observer::kTells) observer.runs(w, t, __builtin_frame_address(0));
  const bool called = kind == Kind::plain || EK_LIKELY(!g_config.cancellation) || !discards(w, t);
  if (EK_UNLIKELY(!called)) observer.discarded(w);
  const bool ended = call(called);
  w->current = before;
  if (EK_UNLIKELY(!ended)) {
    observer.leaves(w, t);
    requeue(w, t);
    return false;
  }
  observer.ends(w, t, called);
  return true;
}

}  // namespace einkorn::runtime
