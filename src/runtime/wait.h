// Waiting with something to do: a thread that must wait runs tasks, looks for tasks, and sleeps when there are none.
#pragma once
#include "runtime/task.h"

namespace einkorn::runtime {

// Which tasks may w start now? A new tied task must descend from every tied task that is suspended on its thread
// (OpenMP 5.1, 2.12.6); the deepest is enough, as it descends from the others. Waits in a barrier are exempt.

void wait_for_children(Worker* w);               // of the current task: taskwait
void wait_for_group(Worker* w, Taskgroup* g);
void wait_for_predecessors(Worker* w, TaskExtra* node);  // depend.h
void run_one(Worker* w);                         // taskyield: at most one task

// Barrier of the whole team, in which all its tasks end.
void barrier(Worker* w);
// The region's end: the same where cancellation is not enabled.
void last_barrier(Worker* w);
// A barrier that is a cancellation point. True: the region is cancelled, go to its end.
bool cancellable_barrier(Worker* w, record::Construct construct, Caller caller, uint16_t site_flags);
// The same, with the recorder's events.
void barrier(Worker* w, record::Construct construct, Caller caller, uint16_t site_flags);

// A short wait for another thread of the team that runs (never for tasks): spins, then sleeps on `event`, which the other
// side changes through signal(). `done` is asked again after each wake, and when `other` changes.
template <class Done>
void wait_event(std::atomic<uint32_t>& event, std::atomic<uint32_t>& waiters, int spin, Done&& done,
                std::atomic<uint32_t>* other = nullptr) {
  for (int i = 0; i < spin; ++i) {
    if (done()) return;
    pause();
  }
  waiters.fetch_add(1, std::memory_order_seq_cst);
  for (;;) {
    uint32_t seen = event.load(std::memory_order_seq_cst), other_seen = other ? other->load(std::memory_order_seq_cst) : 0;
    full_fence();  // orders the announcement in `waiters` before the look in done(); pairs with signal()
    if (done()) break;
    if (other) futex_wait_either(&event, seen, other, other_seen);
    else futex_wait(&event, seen);
  }
  waiters.fetch_sub(1, std::memory_order_relaxed);
}
// After the store that `done` looks for.
inline void signal(std::atomic<uint32_t>& event, std::atomic<uint32_t>& waiters) {
  full_fence();
  if (waiters.load(std::memory_order_relaxed) == 0) return;
  event.fetch_add(1, std::memory_order_seq_cst);
  futex_wake(&event, INT_MAX);
}

}  // namespace einkorn::runtime
