// clang's tasks, as create.h asks for them: the task is there already, and the compiler has filled it.
#pragma once
#include "runtime/task/create.h"

namespace einkorn::runtime {

inline Task* task_of(KmpTask* kt) { return reinterpret_cast<Task*>(kt) - 1; }

struct Kmp {
  Task* task;
  const char* psource = nullptr;  // where it is in the program, as clang says it
  bool depends = false;

  const KmpTask* body() const { return static_cast<const KmpTask*>(task->body()); }

  uint32_t site(Worker* w, record::Construct c, uint16_t when, Caller caller) const {
    using namespace einkorn::record;
    auto f =
        uint16_t(kSiteClang | when | (task->flags & kTaskFinal ? kSiteFinal : 0) |
                 (task->flags & kTaskUntied ? kSiteUntied : 0) | (depends ? kSiteHasDepend : 0) |
                 (task->flags & kTaskDetach ? kSiteDetach : 0) | (w->current->flags & kTaskFinal ? kSiteIncluded : 0));
    return w->stream->site(c, f, reinterpret_cast<const void*>(body()->routine), caller, psource);
  }
  const void* function() const { return reinterpret_cast<const void*>(body()->routine); }
  int told_flags() const { return 0; }

  Task* make(Worker* w) const {
    init_task(w, task, task->flags);
    // The compiler stored the priority after the task was allocated.
    if (EK_UNLIKELY(task->flags & kTaskPriority)) set_priority(w, task, int(intptr_t(body()->data2)));
    return task;
  }
  void fill(Task*) const {}
  Task* make_short(Worker* w, uint16_t more) const {
    init_short(w, task, task->flags | more);
    return task;
  }

  // It is there, with data to be destroyed: is_called() says whether it runs.
  bool is_dropped(const Worker*, bool) const { return false; }

  __attribute__((always_inline)) bool runs_short(const Worker* w) const {
    return EK_LIKELY(!w->stream && !w->hints && (task->flags & ~(kTaskFinal | kTaskUntied)) == kTaskKmp &&
                     !g_config.cancellation) &&
           EK_LIKELY(!stack_is_low(w));
  }
  // merged: as Gomp's
  template <bool merged = true>
  __attribute__((always_inline)) void run_short(Worker* w, uint8_t notes = 0) const {
    Task* t = task;
    uint16_t own = inherited_short(w, t->flags);
    if (merged) own = merging_tied(t, own, notes);
    run_undeferred_short(w, t, own, kHuge, [=] { run_parts(w, t); });
    run_queued_outside_regions(w);
  }
  // An untied task's parts ask whose they are, and the bit means something else there.
  static uint16_t merging_tied(Task* t, uint16_t flags, uint8_t notes = 0) {
    return flags & kTaskUntied ? flags : merging(t, flags, notes);
  }

  __attribute__((always_inline)) bool is_mergeable(const Worker* w) const {
    return (task->flags & ~(w->current->flags & kTaskFinal)) == kTaskKmp;
  }
  __attribute__((always_inline)) void run_merged(Worker* w) const {
    Task* t = task;
    ++w->calls;
    call_kmp(w, t);
    Worker* now = t_worker;  // the same, but it need not be kept meanwhile
    after_call(now);
    free_block(now, t);
  }

  // Whatever there is to observe.
  __attribute__((always_inline)) void run(Worker* w) const {
    if (EK_LIKELY(runs_short(w))) return run_short(w);
    run_now(w, *this, false, 0, nullptr);
  }

  struct Room {};
  Task* make_at_once(Worker* w, Room&, uint16_t& with) const {
    with = uint16_t((task->flags & ~kTaskPriority) | inherited(w));
    return task;
  }
  bool is_called(const Worker* w) const { return EK_LIKELY(!g_config.cancellation) || !tasks_cancelled(w); }
  void call(Worker* w, Task* t, bool called) const {
    if (EK_LIKELY(called)) run_parts(w, t);
    destroy_privates(w, t);
  }

  bool is_captured(Worker* w, const Clauses& c, Caller caller) const {
    const char* why = task->flags & kTaskDestructors    ? "a task with private C++ objects that have destructors"
                      : task->body_bytes() > UINT32_MAX ? kTooLarge
                                                        : nullptr;
    if (!capture(w, as_captured(caller), why, c)) return false;
    free_block(w, task);
    return true;
  }
  CapturedBody as_captured(Caller caller) const {
    const auto flags = uint16_t(task->flags & (kTaskKmp | kTaskUntied | kTaskFinal));
    return {{reinterpret_cast<const void*>(body()->routine), psource, caller, uint32_t(task->body_bytes()), flags, 0},
            body()};
  }
  bool may_be_inlined() const { return task->flags == kTaskKmp; }
  void run_inlined(Worker* w) const { inlined(w, task); }
  Task* take_dependent(Worker*, uint32_t) const { return task; }
  TaskExtra* begin_dependent(Worker* w, Task* t, uint32_t count) const {
    return runtime::begin_dependent(w, t, t->flags, count);
  }

  __attribute__((noinline)) static void inlined(Worker* w, Task* t) {
    InlinedTask timing(w);
    if (EK_UNLIKELY(stack_is_low(w)) || EK_UNLIKELY(w->hints != nullptr)) return run_now(w, Kmp{t}, false, 0, nullptr);
    const uint16_t flags = t->flags;
    const uint16_t as = merges_inlined() ? merging_tied(t, flags, notes_of_inlined()) : flags;
    run_undeferred_short(w, t, as, kHuge, [=] { run_parts(w, t); });
  }

  // Of a task that nobody has begun, which is not left before its end.
  static void run_parts(Worker* w, Task* t) {
    call_kmp(w, t);
    run_next_parts<false>(w, t);
  }
};

// An untied task hands itself over at the end of each part but the last (run_next_parts()). The first of them does
// nothing else: its switch comes before the program's code, behind what every part begins with (clang's
// UntiedTaskActionTy). So a routine that was seen to hand itself over in this way, which no other
// compiler's does, begins with the second part where it is met again. Not where tasks may be cancelled: what has not
// begun is known by its part there.
inline auto& known_in_parts(Worker* w, const KmpTask* kt) {
  return w->in_parts[(reinterpret_cast<uintptr_t>(kt->routine) >> 4) % Worker::kKnownInParts];
}
inline void skip_first_part(Worker* w, KmpTask* kt) {
  if (EK_LIKELY(known_in_parts(w, kt) == reinterpret_cast<const void*>(kt->routine))) kt->part_id = 1;
}

// Where that is not known yet the rest of the task is run from here, which takes half as long as to leave the function
// and to enter it again; what has called us returns at once. Not later parts, as the stack would grow with their
// number.
inline int32_t hand_over_current(Worker* w, Task* t) {
  auto* kt = static_cast<KmpTask*>(t->body());
  if (EK_LIKELY(kt->part_id == 1)) {
    known_in_parts(w, kt) = reinterpret_cast<const void*>(kt->routine);
    return kt->routine(w->id, kt);
  }
  t->flags |= kTaskNextPart;
  return 0;
}

// if(false): the compiler calls the routine itself between these two. frame: of what calls it.
// Of a program that somebody observes, or of a task that takes down what it creates. Apart: what it needs is saved
// here.
EK_NOINLINE inline void begin_if0_rare(Worker* w, Kmp body, Caller caller, void* frame) {
  uint32_t site = 0;
  refuse_if_captures(w, "a task with an if clause that is false");
  if (EK_UNLIKELY(w->stream != nullptr)) site = body.site(w, record::Construct::task, at_once_site(w, false), caller);
  begin_undeferred(w, body.task, body.task->flags | inherited(w), site, false, caller);
  observe::calls_program(w, frame, nullptr);
}
inline void begin_if0(Worker* w, const Kmp& body, Caller caller, void* frame) {
  if (EK_UNLIKELY(w->stream != nullptr) || EK_UNLIKELY(captures(w))) return begin_if0_rare(w, body, caller, frame);
  Task* t = body.task;
  if (merges(w->current)) {
    if (EK_LIKELY(body.is_mergeable(w)) && EK_LIKELY(w->hints == nullptr))
      return void(++w->calls);  // it is called, and that is all
    make_late_task(w);
  }
  const bool merged = body.runs_short(w);
  begin_undeferred(w, t, t->flags | inherited(w), 0, false, caller);
  if (EK_LIKELY(merged)) t->flags = Kmp::merging_tied(t, t->flags);
}
inline void end_if0(Worker* w, Task* t) {
  end_late_task_if_any(w);
  if (w->current != t) return --w->calls, free_block(w, t);  // it was called
  run_next_parts<false>(w, t);
  destroy_privates(w, t);
  // The creator waits for the body of a detached task only (OpenMP 5.1, 1.2.5: undeferred task): it may be the one to
  // fulfil the event later. libgomp waits for the event (OpenMP 5.0), so gcc's programs do.
  end_undeferred(w, t);
}

}  // namespace einkorn::runtime
