// A short wait for one thing that another thread will do: spins, then sleeps on a word that the other side changes.
#pragma once
#include "base/platform.h"

namespace einkorn::flow {

// Looks at each pause as long as stays(1), the pauses until the next look, says. true: it is done.
template <class Stays, class Done>
bool awake_until(Stays&& stays, Done&& done) {
  for (; stays(1); pause())
    if (done()) return true;
  return false;
}

// awake_until(), then sleeps on `event`, which the other side changes through signal(). `done` is asked again after
// each wake, and when `other` changes.
template <class Stays, class Done>
void wait_event(std::atomic<uint32_t>& event, std::atomic<uint32_t>& waiters, Stays&& stays, Done&& done,
                std::atomic<uint32_t>* other = nullptr) {
  if (awake_until(stays, done)) return;
  waiters.fetch_add(1, std::memory_order_seq_cst);
  for (;;) {
    // Before the look: what changes the word after it is not what is expected of it then. seq_cst: no earlier than the
    // announcement.
    uint32_t seen = event.load(std::memory_order_seq_cst),
             other_seen = other ? other->load(std::memory_order_seq_cst) : 0;
    full_fence();  // orders the announcement in `waiters` before the look in done(); pairs with the one in signal()
    if (done()) break;
    if (other) futex_wait_either(&event, seen, other, other_seen);
    else futex_wait(&event, seen);
  }
  waiters.fetch_sub(1, std::memory_order_relaxed);
}
// After the store that `done` looks for.
inline void signal(std::atomic<uint32_t>& event, std::atomic<uint32_t>& waiters) {
  full_fence();  // orders that store before the load of waiters; pairs with the one in wait_event()
  if (waiters.load(std::memory_order_relaxed) == 0) return;
  // seq_cst: an update, which comes before the wake: who has read the old number does not fall asleep after it.
  event.fetch_add(1, std::memory_order_seq_cst);
  futex_wake(&event, INT_MAX);
}

}  // namespace einkorn::flow
