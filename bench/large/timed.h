// The timed platform: as many threads as wanted, each a coroutine of one OS thread with a clock of its own, and a cost
// for every access to memory, fence, pause and futex. The runtime's own sources run on it, compiled against the same
// shadow of src/base/platform.h as in the model checker (tests/unit/model), of whose interface this is a second
// implementation: model.h.
//
// Always the thread runs whose clock is the least, so that what happens is deterministic, and each thread sees what the
// others did before, by their clocks. A line is in one cache alone, or in several to be read (MESI, without a
// difference between exclusive and modified). Who needs a line that others have asked for waits for its turn: a line is
// handed over once at a time. Stores wait in a buffer of the thread's, in order, until their line has come; loads
// find them there; atomic updates and full fences wait until it is empty.
//
// Not modelled: capacities of caches, bandwidth of what connects them, prefetching, the CPU's looking ahead over a load
// that misses, two hardware threads that share a core's time, a CPU's time for instructions that access no memory.
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "large/costs.h"

namespace large {

struct Outcome {
  double end = 0;      // when thread 0 returned
  bool stuck = false;  // nobody could go on
};

// Runs these until the first one returns; what the others do then is dropped.
Outcome run(const Distances&, const Own&, const std::vector<std::function<void()>>& threads);
// The same of threads that all run body(number).
template <class Body>
Outcome run_each(const Distances& d, const Own& own, Body body) {
  std::vector<std::function<void()>> threads;
  for (int i = 0; i < d.threads(); ++i) threads.push_back([body, i] { body(i); });
  return run(d, own, threads);
}

// For the running thread:
double now();
void work(double ns);                           // that accesses nothing
void count_updates();                           // of each line by all threads, from now on
uint32_t most_updates();                        // since then: of the line that had most
void plain_access(const void* at, bool write);  // not atomic; the caller does it itself

}  // namespace large
