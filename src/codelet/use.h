// Whether a graph is being run, and who frees it then: the two that may want to at the same time.
#pragma once
#include "base/platform.h"

namespace einkorn::codelet {

// Who has a graph: nobody, one run, or one run that is to free it.
class Use {
 public:
  // A run begins. Acquire: seats and counters as the run before has left them.
  bool begin() {
    int idle = kIdle;
    return use_.compare_exchange_strong(idle, kRuns, std::memory_order_acquire, std::memory_order_relaxed);
  }
  // It is over; false: it has to free the graph. Release: seats and counters, to the next. Acquire: what was done by
  // who wanted it to be freed.
  bool end() {
    int runs = kRuns;
    return use_.compare_exchange_strong(runs, kIdle, std::memory_order_acq_rel, std::memory_order_acquire);
  }
  // The graph is to be freed: by the caller now, or else by the run that has it. Acquire: what that run did. Release:
  // what the caller did with it.
  bool may_free() { return use_.exchange(kDoomed, std::memory_order_acq_rel) == kIdle; }

 private:
  enum { kIdle, kRuns, kDoomed };
  std::atomic<int> use_{kIdle};
};

}  // namespace einkorn::codelet
