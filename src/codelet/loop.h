// Parallel loops of codelets (ek_run_loop()). Which form a loop runs in: schedule/tploop.h.
#pragma once
#include <atomic>

#include "codelet/procedure.h"

namespace einkorn::codelet {

// ek_loop: static in the program, zero at first. A schedule::LoopTime. Several threads may run the loop at the same
// time: then one of them overwrites what another one has learnt, which costs no more than that.
struct LoopWord {
  std::atomic<uint64_t> time;
};

// As ek_run_loop() and ek_most_codelets().
void run_loop(const Procedure* p, const void* frame, int instances, int64_t iterations, LoopWord* loop, Caller caller);
int most_codelets(int threads);

}  // namespace einkorn::codelet
