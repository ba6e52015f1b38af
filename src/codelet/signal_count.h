// The counter of a codelet by hand: what the program has as internal_count (include/einkorn/codelet.h), and ek_reset()
// stores to.
#pragma once
#include "base/platform.h"

namespace einkorn::codelet {

// How many signals are still to come.
class SignalCount {
 public:
  // One has come; returned is how many are missing now, below 0: it has waited for none. Release: what was done before
  // the signal. Acquire, by the last: what was done before all others.
  int32_t arrive() { return count_.fetch_sub(1, std::memory_order_acq_rel) - 1; }

 private:
  std::atomic<int32_t> count_;
};

}  // namespace einkorn::codelet
