// Mutual exclusion (critical, locks, atomics of the runtime's): what recorder and tool hear of it, as in events.h. But
// for nested_again(): with w->stream only.
#pragma once
#include "base/clock.h"
#include "runtime/observe/tool.h"

namespace einkorn::runtime::observe {

// A thread asks for a lock; waits, where somebody has it; has it.
class MutexAccess {
 public:
  // test: it asks once, and does not wait.
  MutexAccess(Worker* w, record::Construct construct, bool test, const void* lock, Caller caller, uint16_t site_flags)
      : stream_(w->stream),
        told_(hears_tool(w, construct) ? w : nullptr),
        construct_(construct),
        site_flags_(site_flags),
        kind_(kind(construct, test)),
        lock_(lock),
        caller_(caller) {
    if (!test) site_ = site();  // while nobody waits for it
    if (told_) tool::mutex_acquire(told_, kind_, 0, lock, caller);
  }
  void waits() {
    since_ = ticks();
    stream_->mutex_wait(since_, site_, lock_);
  }
  void waited() { stream_->parked(ticks() - since_); }  // it may have slept: that is `blocked`, not off-CPU
  void acquired() {
    const uint32_t at = site_ ? site_ : site();
    const uint64_t t = ticks();
    if (!site_) stream_->got_by_trying(t, at, lock_);
    stream_->mutex_acquired(t, at, lock_);
    if (told_) tool::mutex_acquired(told_, kind_, lock_, caller_);
  }
  void not_acquired() {
    stream_->tried_in_vain(ticks(), lock_);
    if (told_) tool::mutex_not_acquired(told_);
  }
  // By who had it, at that time; what it took to wake the next.
  static void released(Worker* w, record::Construct construct, const void* lock, Caller caller, uint64_t at,
                       uint64_t waking) {
    w->stream->mutex_released(at, lock, waking);
    if (hears_tool(w, construct)) tool::mutex_released(w, kind(construct, false), lock, caller);
  }

 private:
  // Reductions of clang's take a lock that is not the program's.
  static bool hears_tool(const Worker* w, record::Construct c) { return w->tool && c != record::Construct::reduction; }
  static ompt_mutex_t kind(record::Construct construct, bool test) {
    switch (construct) {
      case record::Construct::critical: return ompt_mutex_critical;
      case record::kConstructAtomic: return ompt_mutex_atomic;
      case record::Construct::nest_lock: return test ? ompt_mutex_test_nest_lock : ompt_mutex_nest_lock;
      default: return test ? ompt_mutex_test_lock : ompt_mutex_lock;
    }
  }
  uint32_t site() const { return stream_->site(construct_, site_flags_, nullptr, caller_); }

  record::Stream* stream_;
  Worker* told_;
  record::Construct construct_;
  uint16_t site_flags_;
  ompt_mutex_t kind_;
  const void* lock_;
  Caller caller_;
  uint32_t site_ = 0;
  uint64_t since_ = 0;
};

// A nestable lock, once more by who holds it, and once less. To the recorder it is held all the while; a tool hears of
// each nesting, the first as a lock's acquisition.
inline void nested_again(Worker* w, const void* lock, bool test, Caller caller) {
  if (EK_LIKELY(w->tool == nullptr)) return;
  tool::mutex_acquire(w, test ? ompt_mutex_test_nest_lock : ompt_mutex_nest_lock, 0, lock, caller);
  tool::mutex_not_acquired(w);
  tool::nest_lock(ompt_scope_begin, lock, caller);
}
inline void nested_less(const Worker* w, const void* lock, Caller caller) {
  if (EK_UNLIKELY(w->tool != nullptr)) tool::nest_lock(ompt_scope_end, lock, caller);
}

}  // namespace einkorn::runtime::observe
