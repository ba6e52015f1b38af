// Who hears of what a task does: nobody, the recorder, or the recorder and a tool (who has a tool has a stream, too:
// tool.h). One function an event in each of them, and what is told first; run_body() (task/body.h) and what makes tasks
// (task/create.h) are written once, for any of them.
#pragma once
#include "base/clock.h"
#include "runtime/observe/tool.h"
#include "runtime/task/extra.h"

namespace einkorn::runtime {

// Logical iterations of a loop.
struct Range {
  uint64_t first, count;
};

}  // namespace einkorn::runtime

namespace einkorn::runtime::observe {

struct Nobody {
  static constexpr bool kHears = false, kTells = false;
  // A deferred task comes to be, from before its block is taken until it is queued.
  struct Creation {
    Creation(Worker*, Caller) {}
    // It is set up, but for the program's data, which the program's own code may copy (gcc).
    void set_up(Task*, int, bool) {}
    // All of it is there, and nobody can run it yet. site: asked only where somebody hears of it.
    template <class Site>
    void made(Task*, Site&&) {}
  };
  // A task begins at once in its creator's place: is made, and starts.
  void at_once(Worker*, Task*, uint32_t, bool, Caller) const {}
  // t is about to start (or to go on) on the thread,
  void starts(Task*) const {}
  // and is what runs there. frame: of the runtime, which calls the body.
  void runs(Worker*, Task*, void*) const {}
  // Its body is not called: it was cancelled.
  void discarded(Worker*) const {}
  // It leaves the thread and goes on later, from a queue. A procedure's instance has told so itself (stretches.h).
  void leaves(Worker*, Task*) const {}
  // Its body has returned. called: it was not discarded.
  void ends(Worker*, Task*, bool) const {}
  // The same where it began at_once().
  void ends_at_once(Worker*, Task*) const {}
};

struct Recorder {
  static constexpr bool kHears = true, kTells = false;
  record::Stream* stream;
  explicit Recorder(const Worker* w) : stream(w->stream) {}

  class Creation {
   public:
    Creation(Worker* w, Caller) : stream_(w->stream), began_(stream_->creation_begins()) {}
    void set_up(Task*, int, bool) {}
    // The id must be in the task before anybody can run it; the cost is stamped just before it is queued.
    template <class Site>
    void made(Task* t, Site&& site) {
      const uint32_t at = site();
      t->record_id = stream_->task_create(began_, ticks(), at, t->depth, t->parent->record_id);
    }

   private:
    record::Stream* stream_;
    uint64_t began_;
  };
  void at_once(Worker*, Task* t, uint32_t site, bool, Caller) const {
    const uint64_t now = ticks();
    t->record_id = stream->task_create(stream->undeferred_begins(now), now, site, t->depth, t->parent->record_id);
    stream->task_start(now, t->record_id);
  }
  void starts(Task* t) const { stream->task_start(ticks(), t->record_id); }
  void runs(Worker*, Task*, void*) const {}
  void discarded(Worker*) const {}
  void leaves(Worker*, Task* t) const {
    if (!(t->flags & kTaskOnStack)) stream->task_suspend(ticks());
  }
  void ends(Worker*, Task* t, bool) const {
    if (EK_LIKELY(!record::is_unseen(t->record_id))) stream->task_end(ticks());
  }
  void ends_at_once(Worker*, Task*) const { stream->task_end(ticks()); }
};

// In a wait that runs the own children one behind the other: while tasks are brief the record before has the stamp.
struct RecorderInWait : Recorder {
  using Recorder::Recorder;
  void starts(Task* t) const { stream->task_start_next(t->record_id); }
  void ends(Worker*, Task*, bool) const { stream->task_end_next(); }
};

// The body of a detached task has returned: does it live on until its event comes?
inline bool awaits_event(Task* t) {
  // Acquire: what was done before the event was fulfilled.
  return EK_UNLIKELY(t->flags & kTaskDetach) && !(extra_of(t)->event.load(std::memory_order_acquire) & kFulfilled);
}

struct RecorderAndTool : Recorder {
  static constexpr bool kTells = true;
  using Recorder::Recorder;

  class Creation {
   public:
    Creation(Worker* w, Caller caller)
        : w_(w), caller_(caller), recorder_(w, caller), inside_(w, caller, ompt_state_overhead) {}
    void set_up(Task* t, int flags, bool depends) { tool::task_create(w_, t, flags, depends, caller_); }
    template <class Site>
    void made(Task* t, Site&& site) {
      recorder_.made(t, site);
      tool::task_create_end(w_, t);
    }

   private:
    Worker* w_;
    Caller caller_;
    Recorder::Creation recorder_;
    tool::Inside inside_;
  };
  void at_once(Worker* w, Task* t, uint32_t site, bool depends, Caller caller) const {
    Recorder::at_once(w, t, site, depends, caller);
    tool::enter(w, caller);
    tool::task_create(w, t, ompt_task_undeferred, depends, caller);
    tool::task_create_end(w, t);
  }
  void runs(Worker* w, Task* t, void* frame) const { tool::task_begin(w, t, frame); }
  void discarded(Worker* w) const { tool::discarded(w); }
  void leaves(Worker* w, Task* t) const {
    tool::task_leave(w, ompt_task_switch);
    Recorder::leaves(w, t);
  }
  void ends(Worker* w, Task* t, bool called) const {
    Recorder::ends(w, t, called);
    // An event that is fulfilled from here on is told as late, though the task ends at once.
    tool::task_leave(w, !called ? ompt_task_cancel : awaits_event(t) ? ompt_task_detach : ompt_task_complete);
  }
  void ends_at_once(Worker* w, Task* t) const {
    ends(w, t, true);
    tool::leave(w);
  }
};

// The runtime is about to call the body of the task that it runs in its creator's place, from that frame. range: a
// piece of a taskloop's.
inline void calls_program(Worker* w, void* frame, const Range* range) {
  if (EK_LIKELY(w->tool == nullptr)) return;
  tool::set_exit_frame(w, frame);
  if (range) tool::dispatch(w, ompt_dispatch_taskloop_chunk, range->first, range->count);
}

// what(observer), with the one that is there now.
template <class What>
__attribute__((always_inline)) inline auto with_observer(const Worker* w, What&& what) {
  if (EK_LIKELY(w->stream == nullptr)) return what(Nobody{});
  if (EK_LIKELY(w->tool == nullptr)) return what(Recorder(w));
  return what(RecorderAndTool(w));
}

}  // namespace einkorn::runtime::observe
