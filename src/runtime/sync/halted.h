// A worker waits where it can run no task.
#pragma once
#include "runtime/types.h"

namespace einkorn::runtime {

// While it lives its worker waits where it can run no task, but of the team in which it sleeps: in a lock, for its
// turn, for another's iteration. Tasks that it alone may run are not run meanwhile: who waits for them asks (rescue,
// placed_search.cpp). Written by the worker; a hint, so no order.
class Halted {
 public:
  explicit Halted(Worker* w) : w_(w) { step(); }
  ~Halted() { step(); }
  Halted(const Halted&) = delete;

 private:
  void step() { w_->halts.store(w_->halts.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }
  Worker* w_;
};

}  // namespace einkorn::runtime
