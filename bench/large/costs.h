// What an access costs on a machine that nobody has here: how long a cache line takes between any two of its CPUs, and
// what each CPU does by itself. ns.
#pragma once
#include <string>
#include <vector>

#include "machine/types.h"

namespace large {

// Of one CPU, whatever its machine. Order of magnitude of processors of the last ten years; only their distances
// differ by machine. Sources: docs/large.md.
struct Own {
  double hit = 0.5;          // a load from the first-level cache, of several in a row
  double plain = 0.3;        // a plain access that hits: several are on their way at once
  double store = 0.3;        // into the store buffer
  double update = 5;         // an atomic update of a line that the CPU has for itself
  double fence = 8;          // a full fence, with an empty store buffer
  double pause = 25;         // a pause instruction
  double keep = 20;          // a line that has come: until somebody else's request for it arrives
  double turn = 5;           // one line asked for by several: from one reader that is served to the next
  double memory = 90;        // a line that nobody has
  double system_call = 250;  // futex, not counting what it wakes
  double wake_call = 1200;   // to wake one thread, of the waking one
  double wake = 4000;        // until the woken one runs
  double membarrier = 3000;
};

// Threads 0 .. n-1 on the machine's CPUs: neighbours beside each other, one a core as long as there are cores.
class Distances {
 public:
  // line > 0: that between any two, in place of what the machine says.
  Distances(const einkorn::machine::Machine& m, int threads, double line = 0);
  int threads() const { return threads_; }
  // From the cache of one thread's CPU to another's.
  double line(int from, int to) const { return line_[size_t(from) * size_t(threads_) + size_t(to)]; }
  // A lower bound of any barrier, and half of one of a fork and a join: in each of log2 n rounds a thread hears of one
  // more half, at best from the nearest that knows more (as in a dissemination barrier whose partners are near first).
  double barrier_bound() const;

 private:
  int threads_;
  std::vector<double> line_;
};

}  // namespace large
