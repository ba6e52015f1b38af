// Tasks that run at once, as calls, where to queue them costs more than that can gain. A task with a priority or an event is
// never run so.
//
// Tiny tasks, under the default schedule. To hand a task over costs its creator and the thief some 50 ns each, lines that travel
// between their caches the most of it. One thread that makes many tasks which take less than that is faster alone, whoever looks
// for work: it runs them as calls. The first of a task's children are queued in any case; then, where they are made quickly, one
// is tried, then two at once, then four, to kBatch, as long as they prove tiny by the clock and make no tasks; then some are
// queued again, more each time. So what is long among tiny ones is found out within a batch, and mostly queued. One with
// dependences is run so if nobody that it follows is still to end: then it is in no table either, since it has ended before
// anything can follow it.
//
// defer = adaptive: a task runs at once while nobody in the team looks for work, the own queue holds enough for thieves that come
// later, and tasks are fine: each comes to its end, or to creating another one (where this is asked again), in about a
// microsecond. One of kCredit is timed; after two in a row that were not fine the next ones are queued, more each time. (After one
// they may be fine all the same: where a block of memory is the first of a page, the kernel's work is in the time.)
#pragma once
#include "runtime/depend.h"
#include "runtime/task.h"

namespace einkorn::runtime {

// What a queue must hold: thieves take a quarter at a time, and find work for some microseconds.
inline constexpr int64_t kEnoughQueued = 128;

inline bool defers_adaptively() { return g_config.schedule->defer == schedule::Defer::adaptive; }

// For a thread that comes to a region, whose queue is empty.
inline void set_limit(Worker* w) {
  w->slot->deque.limit(EK_UNLIKELY(defers_adaptively()) ? kEnoughQueued : Inlining::kFirst);
}

// After has_room() said no: is the current task's child that is created now a tiny one?
EK_NOINLINE bool asks_for_tiny(Worker* w, bool dependent);

// The current task's child that is created now: does it run at once? By the creator, in a team of several.
inline bool is_better_run_now(Worker* w) {
  if (EK_LIKELY(w->slot->deque.has_room())) return false;
  Inlining& my = w->inlining;
  if (EK_LIKELY(!defers_adaptively())) {
    if (EK_LIKELY(my.credit > 0 && my.of == w->current)) return --my.credit, true;
    return asks_for_tiny(w, false);
  }
  if (w->slot->deque.takes_more() || w->team->idle.load(std::memory_order_relaxed) != 0) return false;
  if (my.credit < 0) return ++my.credit, false;
  return true;
}

// The same for one with dependences and nothing else unusual: if it follows_nobody(); if it does, not_now().
inline bool is_dependent_better_run_now(Worker* w) {
  Inlining& my = w->inlining;
  if (EK_LIKELY(my.of == w->current)) {
    if (my.credit > 0) return --my.credit, true;
    if (EK_LIKELY(my.batch == 0) && w->current->created - my.created < uint32_t(my.skip)) return false;
  }
  return !EK_UNLIKELY(defers_adaptively()) && asks_for_tiny(w, true);
}
inline void not_now(Worker* w) {
  w->inlining.credit = 0;
  w->inlining.batch = Inlining::kBroken;
}
// Have all ended that a child of the current task with this dependence would follow?
bool follows_nobody(const Worker* w, uintptr_t address, DepMode mode);

// Around such a task.
class InlinedTask {
 public:
  explicit InlinedTask(Worker* w) : w_(w), timed_(defers_adaptively() && --w->inlining.credit < 0) {
    ++w->inlining.count;
    if (EK_LIKELY(!timed_)) return;
    before_ = made(w);
    began_ = ticks();
  }
  ~InlinedTask() {
    if (EK_LIKELY(!timed_)) return;
    bool fine = made(w_) != before_ || ticks() - began_ < kFine;
    Inlining& my = w_->inlining;
    const bool is_first = !fine && !my.in_doubt;
    my.in_doubt = is_first;
    if (is_first) {
      my.credit = 0;  // the next one is timed
      return;
    }
    my.skip = fine ? 0 : my.skip == 0 ? kCredit : my.skip < kMostSkipped ? 2 * my.skip : kMostSkipped;
    my.credit = fine ? kCredit : -my.skip;
  }
  InlinedTask(const InlinedTask&) = delete;

 private:
  static constexpr uint64_t kFine = 2500;  // ticks, roughly a microsecond
  static constexpr int kCredit = 64, kMostSkipped = 1 << 12;
  static uint64_t made(const Worker* w) { return w->slot->created.load(std::memory_order_relaxed) + w->inlining.count; }
  Worker* w_;
  bool timed_;
  uint64_t before_ = 0, began_ = 0;
};

}  // namespace einkorn::runtime
