// What happens beside the tasks themselves (observers.h): one function or class an event, which tells the recorder and
// a tool what each of them is to hear, in this order. Where nobody hears, a site tests one pointer.
#pragma once
#include "base/clock.h"
#include "runtime/observe/observers.h"
#include "runtime/task/task.h"

namespace einkorn::runtime::observe {

// A wait of the current task for others, until the end of the object: taskwait, the end of a taskgroup, a barrier.
class Wait {
 public:
  Wait(Worker* w, record::Construct construct, uint16_t site_flags, Caller caller)
      : recorded_(w, construct, site_flags, caller), told_(w, construct, site_flags, caller) {}
  // It ends at once after the latest record: the end of a task that the thread ran in it, or its begin.
  void ends_next() {
    recorded_.stream->wait_end_next();
    recorded_.stream = nullptr;
  }

 private:
  struct Recorded {
    record::Stream* stream;
    Recorded(Worker* w, record::Construct construct, uint16_t site_flags, Caller caller) : stream(w->stream) {
      if (EK_LIKELY(stream == nullptr)) return;
      stream->wait_begin(ticks(), stream->site(construct, site_flags, current_function(w), caller));
    }
    ~Recorded() {
      if (EK_UNLIKELY(stream != nullptr)) stream->wait_end(ticks());
    }
    Recorded(const Recorded&) = delete;
  };
  Recorded recorded_;  // first: around what the tool is told
  tool::Sync told_;
};

inline void taskgroup_begins(Worker* w, uint16_t site_flags, const void* caller) {
  record::Stream* s = w->stream;
  if (EK_LIKELY(s == nullptr)) return;
  s->taskgroup_begin(ticks(), s->site(record::Construct::taskgroup, site_flags, current_function(w), caller));
  if (w->tool) tool::sync_event(w, ompt_callback_sync_region, ompt_sync_region_taskgroup, ompt_scope_begin, caller);
}

inline void taskloop_begins(Worker* w, uint32_t site, uint64_t iterations, uint64_t tasks, Caller caller) {
  if (EK_LIKELY(w->stream == nullptr)) return;
  w->stream->taskloop_begin(ticks(), site, iterations, tasks);
  if (w->tool) tool::work_event(w, ompt_work_taskloop, ompt_scope_begin, iterations, caller);
}
inline void taskloop_ends(Worker* w, uint64_t iterations, Caller caller) {
  if (EK_LIKELY(w->stream == nullptr)) return;
  w->stream->taskloop_end(ticks());
  if (w->tool) tool::work_event(w, ompt_work_taskloop, ompt_scope_end, iterations, caller);
}

// A piece of it, which is queued: from before its task is made.
class PieceCreation {
 public:
  explicit PieceCreation(const Worker* w) : began_(EK_UNLIKELY(w->stream != nullptr) ? ticks() : 0) {}
  void made(Worker* w, Task* t, uint32_t site, const Range& piece, Caller caller) const {
    if (EK_LIKELY(w->stream == nullptr)) return;
    t->record_id = w->stream->task_create(began_, ticks(), site, t->depth, w->current->record_id);
    w->stream->task_range(piece.first, piece.count);
    if (!w->tool) return;
    tool::task_create(w, t, 0, false, caller);
    tool::task_range(w, t, piece.first, piece.count);
    tool::task_create_end(w, t);
  }

 private:
  uint64_t began_;
};
// One that was run at once, as such a task is (observers.h; calls_program() tells a tool which piece).
inline void piece_ran(Worker* w, const Range& piece) {
  if (EK_UNLIKELY(w->stream != nullptr)) w->stream->task_range(piece.first, piece.count);
}

// taskyield: until the end of the object the thread runs another task in the current one's stead, if it finds one.
class Yield {
 public:
  Yield(Worker* w, uint16_t site_flags, Caller caller)
      : recorded_(w, site_flags, caller), inside_(w, caller, ompt_state_overhead), tool_(w->tool) {
    if (EK_UNLIKELY(tool_ != nullptr)) tool_->yielding = true;
  }
  ~Yield() {
    if (EK_UNLIKELY(tool_ != nullptr)) tool_->yielding = false;
  }
  Yield(const Yield&) = delete;

 private:
  struct Recorded {
    record::Stream* stream;
    Recorded(Worker* w, uint16_t site_flags, Caller caller) : stream(w->stream) {
      if (EK_LIKELY(stream == nullptr)) return;
      stream->yield(ticks(), stream->site(record::Construct::taskyield, site_flags, current_function(w), caller));
    }
    ~Recorded() {
      if (EK_UNLIKELY(stream != nullptr)) stream->yield_end(ticks());
    }
    Recorded(const Recorded&) = delete;
  };
  Recorded recorded_;  // first: around what the tool is told
  tool::Inside inside_;
  tool::Thread* tool_;
};

}  // namespace einkorn::runtime::observe
