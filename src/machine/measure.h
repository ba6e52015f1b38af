// Measures a computer with the kernels of Schmidl 2016, chapter 2. The results fill a Machine that goes into a model
// file.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "machine/types.h"

namespace einkorn::machine {

struct Measuring {
  double seconds = 15;  // about how long everything takes; more on machines with very many nodes
  std::function<void(double fraction, const char* what)> progress;  // may be empty
  std::vector<std::string> warnings;                                // what could not be measured properly, each once

  void step(double fraction, const char* what) const {
    if (progress) progress(fraction, what);
  }
  void warn(const std::string& text) {
    for (const std::string& w : warnings)
      if (w == text) return;
    warnings.push_back(text);
  }
};

// Latency, bandwidth (reading and writing, one core, all cores of a node), for each pair of nodes; distance from the
// latter, D(a,b) = 10 M(0,0) / M(a,b); bandwidth by footprint and by threads; memory_go_around, allocation, first
// touch, a cache line's way between two cores. m: the real machine.
void measure_memory(Machine* m, Measuring* how);

// The cost of the runtime's constructs in the library at `path` (libeinkorn.so), which is loaded into this process: an
// empty parallel region, a barrier, loops, a reduction; with two threads, with one per core, and nested. Then it does
// what measure_moves() does. false: *why says why not.
bool measure_runtime(const std::string& path, Machine* m, Measuring* how, std::string* why);

// The cost of moving pages between the first two nodes with CPUs by that library's calls. Does nothing if there is one
// node.
void measure_moves(void* library, Machine* m, Measuring* how);

}  // namespace einkorn::machine
