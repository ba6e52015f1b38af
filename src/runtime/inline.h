// defer = adaptive: a task runs at once, as a call, where to queue it costs more than that can gain: while nobody in the team
// looks for work, the own queue holds enough for thieves that come later, and tasks are fine. A task with dependences, a
// priority or an event is never run so.
//
// Fine is a task that comes to its end, or to creating another one (where this is asked again), in about a microsecond. One
// of kCredit is timed; after one that was not fine the next ones are queued, more each time.
#pragma once
#include "runtime/task.h"

namespace einkorn::runtime {

// What a queue must hold: thieves take a quarter at a time, and find work for some microseconds.
inline constexpr int64_t kEnoughQueued = 128;

inline bool defers_adaptively() { return g_config.schedule->defer == schedule::Defer::adaptive; }

// The current task's child that is created now: does it run at once? By the creator, in a team of several.
inline bool is_better_run_now(Worker* w) {
  if (EK_LIKELY(!defers_adaptively())) return false;
  if (w->slot->deque.takes_more() || w->team->idle.load(std::memory_order_relaxed) != 0) return false;
  if (w->inline_credit < 0) return ++w->inline_credit, false;
  return true;
}

// Around such a task.
class InlinedTask {
 public:
  explicit InlinedTask(Worker* w) : w_(w), timed_(--w->inline_credit < 0) {
    ++w->inlined;
    if (EK_LIKELY(!timed_)) return;
    before_ = made(w);
    began_ = ticks();
  }
  ~InlinedTask() {
    if (EK_LIKELY(!timed_)) return;
    bool fine = made(w_) != before_ || ticks() - began_ < kFine;
    int& skip = w_->inline_skip;
    skip = fine ? 0 : skip == 0 ? kCredit : skip < kMostSkipped ? 2 * skip : kMostSkipped;
    w_->inline_credit = fine ? kCredit : -skip;
  }
  InlinedTask(const InlinedTask&) = delete;

 private:
  static constexpr uint64_t kFine = 2500;  // ticks, roughly a microsecond
  static constexpr int kCredit = 64, kMostSkipped = 1 << 12;
  static uint64_t made(const Worker* w) { return w->slot->created.load(std::memory_order_relaxed) + w->inlined; }
  Worker* w_;
  bool timed_;
  uint64_t before_ = 0, began_ = 0;
};

}  // namespace einkorn::runtime
