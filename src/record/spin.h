// Tries for a lock, one right after the other: who spins on omp_test_lock() waits.
#pragma once
#include <cstdint>
#include "base/clock.h"

namespace einkorn::record {

class Spin {
 public:
  // A try in vain at t. recorded: time of the stream's latest record.
  void in_vain(uint64_t t, const void* lock, uint64_t recorded) {
    if (!goes_on(t, lock, recorded)) lock_ = lock, since_ = t;
    latest_ = t;
  }
  // It is ours at t: since when the thread has spun for it; 0: it has not.
  uint64_t over(uint64_t t, const void* lock, uint64_t recorded) {
    const uint64_t since = goes_on(t, lock, recorded) ? since_ : 0;
    lock_ = nullptr;
    return since;
  }

 private:
  // Who comes back later than that has done something else; and nothing was recorded meanwhile.
  static constexpr uint64_t kLongestNs = 50'000;
  bool goes_on(uint64_t t, const void* lock, uint64_t recorded) const {
    return lock_ == lock && lock && recorded <= since_ && t - latest_ <= in_ticks(kLongestNs);
  }

  const void* lock_ = nullptr;
  uint64_t since_ = 0, latest_ = 0;
};

}  // namespace einkorn::record
