// A task comes to be: whether it is queued or run at once, decided once for both compilers. What differs between them
// is how a body is made and called, which a Body says: Gomp (gomp_body.h), Kmp (kmp_body.h).
//
//   uint32_t site(w, construct, when, caller)   where it is in the program; where w records
//   Task* make(w)                      set up as a child of the current task, but for the program's data, which
//   void fill(t)                       brings in: that may call the program
//   Task* make_short(w, flags)         both for one with nothing special about it, with these flags beside its own
//   const void* function()             what the compiler has made of the construct's code
//   int told_flags()                   what of ompt_task_flag_t the task's flags do not say
//   bool is_dropped(w, deferred)       cancelled before it is made
//   bool runs_short(w), run_short(w)   may it be run by run_undeferred_short(), and that
//   Room; Task* make_at_once(w, room, flags)   to be run in its creator's place: the task, which may lie in the room on
//                                      the stack, and the flags that it begins with
//   bool is_called(w)                  if not, it was cancelled
//   void call(w, t, called)            the program's code
//   run_inlined(w)                     run_short() of one for which is_better_run_now(), child of one without kTaskSlowPath:
//                                      so not recorded, with cancellation disabled, and nothing to hand down
//   bool is_captured(w, clauses, caller)   of who captures: capture.h
//   bool may_be_inlined(); Task* take_dependent(w, count); TaskExtra* begin_dependent(w, t, count)
//                                      of create_dependent(): its block, and begin_dependent() of depend.h
#pragma once
#include "runtime/observe/dependences.h"
#include "runtime/task/capture.h"
#include "runtime/task/depend.h"
#include "runtime/task/fast.h"
#include "runtime/task/inline.h"

namespace einkorn::runtime {

struct Clauses {
  bool if_clause = true;
  bool detach = false;
  bool priority = false;
  const Dependence* list = nullptr;
  int count = 0;
  bool is_plain() const { return !detach && !priority && count == 0; }
};

inline void set_priority(Worker* w, Task* t, int priority) {
  t->flags &= uint16_t(~kTaskPriority);
  if (priority > g_config.max_task_priority) priority = g_config.max_task_priority;
  if (priority <= 0) return;
  need_extra(w, t)->priority = priority;
  t->flags |= kTaskPriority;
}

// A task that is to be queued: the priority of a hint, if there is one, and the task has no such clause. OpenMP 5.1,
// 2.12.1: a priority is a hint for the order of execution, and no program may rely on it. Does it have one now?
EK_NOINLINE bool take_priority(Worker* w, Task* t, const void* function, bool clause);

// What a task that is run at once has of the current one.
inline uint16_t inherited(const Worker* w) { return w->current->flags & kTaskFinal; }

// A Body goes by value to what is out of line: so its fields stay in registers where that is not called.

// Runs the task in its creator's place, on a new stack where this one is low. range: it is a piece of a taskloop.
template <class Body>
__attribute__((noinline)) void run_now(Worker* w, Body body, bool depends, uint32_t site, Caller caller,
                                       const Range* range = nullptr) {
  if (EK_UNLIKELY(stack_is_low(w))) {
    struct Arguments {
      const Body& body;
      bool depends;
      uint32_t site;
      Caller caller;
      const Range* range;
    } arguments{body, depends, site, caller, range};
    return call_on_new_stack(
        w,
        [](void* p) {
          auto& a = *static_cast<Arguments*>(p);
          run_now(self(), a.body, a.depends, a.site, a.caller, a.range);
        },
        &arguments);
  }
  const bool called = body.is_called(w);
  typename Body::Room room;
  uint16_t flags;
  Task* t = body.make_at_once(w, room, flags);
  begin_undeferred(w, t, flags, site, depends, caller);
  observe::calls_program(w, __builtin_frame_address(0), range);
  body.call(w, t, called);
  if (EK_UNLIKELY(t->flags & kTaskDetach)) {
    if (called) wait_for_event(w, t);
    else t->flags &= uint16_t(~kTaskDetach);  // nobody will fulfil it
  }
  end_undeferred(w, t);
}

// inlined: by the runtime's choice, though others could run it.
template <class Body>
__attribute__((noinline)) void run_in_place(Worker* w, Body body, Clauses c, bool inlined, Caller caller) {
  if (EK_LIKELY(!c.detach && !c.priority) && EK_LIKELY(body.runs_short(w))) {
    if (c.count != 0) wait_for_dependences(w, c.list, c.count, caller);
    return body.run_short(w);
  }
  if (body.is_dropped(w, false)) return;
  uint32_t site = 0;
  if (EK_UNLIKELY(w->stream != nullptr))
    site = body.site(w, record::Construct::task, inlined ? kInlined : at_once_site(w, c.if_clause), caller);
  // if(false): the program waits. Else the runtime chose to run the task at once, and the dependences are recorded as
  // its own.
  const bool waited = c.count != 0 && !c.if_clause;
  if (waited) wait_for_dependences_at(w, c.list, c.count, caller, site);
  else if (c.count != 0) wait_for_dependences(w, c.list, c.count, caller);
  run_now(w, body, c.count != 0, site, caller);
  if (c.count != 0 && !waited) observe::ran_with(w, c.list, c.count);
}

template <class Body, class Observer>
__attribute__((noinline)) void create_deferred(Worker* w, Body body, Clauses c, Caller caller, Observer) {
  if (body.is_dropped(w, true)) return;
  typename Observer::Creation creation(w, caller);
  Task* t = body.make(w);
  creation.set_up(t, body.told_flags(), c.count != 0);
  body.fill(t);
  if (EK_UNLIKELY(g_prioritizes)) c.priority = take_priority(w, t, body.function(), c.priority);
  creation.made(t, [&] { return body.site(w, record::Construct::task, kDeferred, caller); });
  if (c.count != 0) submit_dependent(w, t, c.list, c.count);
  else if (c.priority) submit(w, t);
  else submit_plain(w, t);
  run_queued_outside_regions(w);
}

// Most of those that run at once, of a program that nobody observes. Asked again in create(): where that is a call with
// many arguments, ask first.
template <class Body>
__attribute__((always_inline)) inline bool is_short_at_once(const Worker* w, const Body& body, bool if_clause) {
  return EK_UNLIKELY(runs_at_once(w, if_clause)) && EK_LIKELY(body.runs_short(w));
}

// The same for one with dependences and nothing else unusual, in a team of one: where none of its tasks is left there
// is nobody to follow, and its list need not be read.
template <class Body>
__attribute__((always_inline)) inline bool follows_nobody_alone(const Worker* w, const Body& body) {
  return runs_at_once(w, true) && !has_unfinished_tasks(w) && EK_LIKELY(body.runs_short(w));
}

// A construct was met in a task that merges (merged.h): does the new one run at once, whatever else there is to do?
inline bool may_be_called(const Worker* w) { return EK_LIKELY(!stack_is_low(w)) && EK_LIKELY(w->hints == nullptr); }
__attribute__((always_inline)) inline bool is_surely_called(const Worker* w, bool if_clause) {
  const bool at_once = !if_clause || EK_LIKELY(w->current->flags & kTaskFinal) || w->team->n == 1;
  return EK_LIKELY(at_once) && may_be_called(w);
}
// The same of a task that is cut off as the current one was.
__attribute__((always_inline)) inline bool is_cut_off_again(const Worker* w, const void* function) {
  Task* t = w->current;
  return (t->notes & kIsCutOff) && function_of_merging(t) == function && may_be_called(w);
}

// If it runs at once, as one that can be called, it is, and that was it. False: it is to be created. In a function of
// its own, for what must not have a frame.
template <class Body>
__attribute__((always_inline)) inline bool is_called(Worker* w, const Body& body, bool if_clause) {
  if (!body.is_mergeable(w)) return false;
  if (is_surely_called(w, if_clause)) {
    body.run_merged(w);
    return true;
  }
  if (EK_UNLIKELY(!may_be_called(w))) return false;
  if (is_cut_off_again(w, body.function())) {
    body.run_merged(w);
    return true;
  }
  if (!is_better_run_now(w, body.function())) return false;
  InlinedTask timing(w);
  body.run_merged(w);
  return true;
}

// A task construct was met.
template <class Body>
__attribute__((always_inline)) inline void create(Worker* w, const Body& body, const Clauses& c, Caller caller) {
  if (EK_UNLIKELY(w->current->flags & kTaskCaptures) && body.is_captured(w, c, caller)) return;
  own_task(w);
  if (EK_UNLIKELY(runs_at_once(w, c.if_clause))) {
    // A team of one runs its tasks at once, but not what may have to wait for an event.
    const bool waits = c.detach || (c.count != 0 && has_unfinished_tasks(w));
    if (EK_LIKELY(!waits) || !may_defer_alone(w, c.if_clause)) {
      if (c.is_plain() && EK_LIKELY(body.runs_short(w))) return body.run_short(w);
      return run_in_place(w, body, c, false, caller);
    }
  } else if (c.is_plain() && EK_UNLIKELY(is_better_run_now(w, body.function()))) {
    InlinedTask timing(w);
    if (EK_LIKELY(body.runs_short(w))) return body.run_short(w, notes_of_inlined());
    return run_in_place(w, body, c, true, caller);
  }
  observe::with_observer(w, [&](auto observer) { create_deferred(w, body, c, caller, observer); });
}

// ---- the same for tasks with nothing special about them -------------------------------------------------------------
// For the child of a task without kTaskSlowPath, or of one with kTaskRecorded and nothing else that is special. The
// entry points ask first, and reach these by jumps.

// May it be made by create_recorded()?
inline bool is_recorded_way(const Worker* w) {
  return (w->current->flags & (kTaskRecorded | kTaskFinal | kTaskCaptures)) == kTaskRecorded &&
         w->slot->deque.has_room();
}

// Queued, in a program that is recorded.
template <class Body>
__attribute__((always_inline)) inline void create_recorded(Worker* w, const Body& body, Caller caller) {
  observe::Recorder::Creation creation(w, caller);
  Task* t = body.make_short(w, kTaskSlowPath | kTaskRecorded);
  creation.made(t, [&] { return body.site(w, record::Construct::task, kDeferred, caller); });
  note_tasks(w);
  submit_short(w, t);
}

// With dependences, and nothing else special. Deps: size_t count(), bool all(f), where f(Dependence) says whether to
// go on.
template <class Body, class Deps>
__attribute__((always_inline)) inline void create_dependent(Worker* w, const Body& body, const Deps& deps) {
  if (EK_UNLIKELY(body.may_be_inlined() && is_dependent_better_run_now(w))) {
    if (deps.all([=](const Dependence& d) { return follows_nobody(w, d.address, d.mode); })) return body.run_inlined(w);
    not_now(w);
  }
  const size_t count = deps.count();
  Task* t = body.take_dependent(w, uint32_t(count));
  TaskExtra* x = body.begin_dependent(w, t, uint32_t(count));
  DepItem* item = items_of(x);
  deps.all([&](const Dependence& d) {
    *item++ = {d.address, d.bytes, d.mode, nullptr};
    return true;
  });
  submit_begun(w, t, x);
}

}  // namespace einkorn::runtime
