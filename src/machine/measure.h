// What a computer does, measured: the kernels of Schmidl, chapter 2. Its results fill a Machine that goes into a model
// file.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "machine/types.h"

namespace einkorn::machine {

struct Measuring {
  double seconds = 15;  // what all of it takes, about; more on machines with very many nodes
  std::function<void(double fraction, const char* what)> progress;  // may be empty
  std::vector<std::string> warnings;  // what could not be done as it should be, each once

  void step(double fraction, const char* what) const {
    if (progress) progress(fraction, what);
  }
  void warn(const std::string& text) {
    for (const std::string& w : warnings)
      if (w == text) return;
    warnings.push_back(text);
  }
};

// Latency, bandwidth (reading and writing, one core, all cores of a node), for each pair of nodes; distance from the latter,
// D(a,b) = 10 M(0,0) / M(a,b); bandwidth by footprint and by threads; memory_go_around, allocation, first touch, a cache line's
// way between two cores. m: the real machine.
void measure_memory(Machine* m, Measuring* how);

// What the runtime's constructs cost, in the library at `path` (libeinkorn.so), which is loaded into this process: an empty
// parallel region, a barrier, loops, a reduction, with two threads, with one a core, and nested; then what measure_moves() does.
// false: *why says why not.
bool measure_runtime(const std::string& path, Machine* m, Measuring* how, std::string* why);

// Pages moved between the first two nodes with CPUs by that library's calls. Nothing where there is one node.
void measure_moves(void* library, Machine* m, Measuring* how);

}  // namespace einkorn::machine
