// Tasks that run at once, as calls, where to queue them costs more than that can gain: schedule/tiny.h decides, this
// file knows the clock and the queue.
#pragma once
#include "runtime/task/depend.h"
#include "runtime/task/task.h"
#include "runtime/tuned/tuned.h"

namespace einkorn::runtime {

inline bool defers_adaptively() { return g_config.schedule->defer == schedule::Defer::adaptive; }

// Of a task that is run at once where others would be queued: are those that it creates mostly run at once, too? A tiny
// one makes no tasks.
inline bool merges_inlined() { return EK_UNLIKELY(g_cuts_off) || EK_UNLIKELY(defers_adaptively()); }
inline uint8_t notes_of_inlined() { return EK_UNLIKELY(g_cuts_off) ? kIsCutOff : 0; }

// Where tasks of the same kind may have been made before; nullptr: that is not known.
inline const void* function_of_region(const Team* t) { return t->fn ? t->function : nullptr; }

// For a thread that comes to a region, whose queue is empty.
inline void set_limit(Worker* w) {
  const int64_t first = EK_UNLIKELY(defers_adaptively()) ? schedule::kEnoughQueued : Inlining::kFirst;
  const bool tries = schedule::tries_first(w->inlining, &w->slot->implicit, function_of_region(w->team));
  // Where hints cut tasks off each of them is asked about: is_better_run_now().
  w->slot->deque.limit(EK_UNLIKELY(tries || g_cuts_off) ? 0 : first);
}

// After has_room() said no: is the current task's child that is created now a tiny one? Or is it cut off by a hint?
EK_NOINLINE bool asks_for_tiny(Worker* w, bool dependent, const void* function);

// The current task's child that is created now, of that function: does it run at once? By the creator, in a team of
// several.
inline bool is_better_run_now(Worker* w, const void* function) {
  if (EK_LIKELY(w->slot->deque.has_room())) return false;
  Inlining& my = w->inlining;
  if (EK_LIKELY(!defers_adaptively())) {
    if (EK_LIKELY(schedule::credit_at_once(my, w->current) == schedule::AtOnce::yes)) return true;
    return asks_for_tiny(w, false, function);
  }
  if (w->slot->deque.takes_more() || w->team->idle.load(std::memory_order_relaxed) != 0) return false;
  return schedule::fine_at_once(my);
}

// What becomes of a task with nothing special about it for which its creator's queue has no room, or which is tried at
// once first.
enum class FullQueue : uint8_t { run_inlined, queue, slow_path };
inline FullQueue full_queue(Worker* w, const void* function) {
  if (is_better_run_now(w, function)) return FullQueue::run_inlined;
  return EK_UNLIKELY(g_cuts_off) ? FullQueue::queue : FullQueue::slow_path;
}

// The same for one with dependences and nothing else unusual: if it follows_nobody(); if it does, not_now().
inline bool is_dependent_better_run_now(Worker* w) {
  const schedule::AtOnce answer = schedule::dependent_at_once(w->inlining, w->current, w->current->created);
  if (answer != schedule::AtOnce::ask) return answer == schedule::AtOnce::yes;
  return !EK_UNLIKELY(defers_adaptively()) && asks_for_tiny(w, true, nullptr);
}
inline void not_now(Worker* w) { schedule::not_at_once(w->inlining, w->current->created); }
// Have all ended that a child of the current task with this dependence would follow?
bool follows_nobody(const Worker* w, uintptr_t address, DepMode mode);

// Around such a task.
class InlinedTask {
 public:
  explicit InlinedTask(Worker* w) : w_(w), timed_(defers_adaptively() && schedule::times_fine(w->inlining)) {
    ++w->inlining.count;
    if (EK_LIKELY(!timed_)) return;
    before_ = made(w);
    began_ = ticks();
  }
  ~InlinedTask() {
    if (EK_LIKELY(!timed_)) return;
    const uint64_t took = ticks() - began_;
    schedule::judge_fine(w_->inlining, made(w_) != before_ || took < in_ticks(schedule::kFine));
  }
  InlinedTask(const InlinedTask&) = delete;

 private:
  static uint64_t made(const Worker* w) { return w->slot->created.load(std::memory_order_relaxed) + w->inlining.count; }
  Worker* w_;
  bool timed_;
  uint64_t before_ = 0, began_ = 0;
};

}  // namespace einkorn::runtime
