// A lock of four bytes that sleeps: the futex mutex of Drepper, "Futexes are tricky", with a short spin.
// Serves omp_lock_t, critical, and the runtime's own rare paths.
#pragma once
#include "runtime/platform.h"

namespace einkorn::runtime {

// state: 0 free, 1 held, 2 held and somebody may sleep. Only the holder writes 0.
class Mutex {
 public:
  bool try_lock() {
    uint32_t free = 0;
    return state_.compare_exchange_strong(free, 1, std::memory_order_acquire, std::memory_order_relaxed);
  }
  void lock() {
    if (EK_UNLIKELY(!try_lock())) lock_slow();
  }
  void unlock() {
    EK_ASSERT(state_.load(std::memory_order_relaxed) != 0);
    if (EK_UNLIKELY(state_.exchange(0, std::memory_order_release) == 2)) futex_wake(&state_, 1);
  }
  bool held() const { return state_.load(std::memory_order_relaxed) != 0; }

 private:
  EK_NOINLINE void lock_slow() {
    // Worth it only for holders that run and hold for less than a sleep and a wake cost (about 5 us).
    for (int i = 0; i < 100; ++i) {
      if (state_.load(std::memory_order_relaxed) == 0 && try_lock()) return;
      pause();
    }
    while (state_.exchange(2, std::memory_order_acquire) != 0) futex_wait(&state_, 2);
  }

  std::atomic<uint32_t> state_{0};
};
static_assert(sizeof(Mutex) == 4);

}  // namespace einkorn::runtime
