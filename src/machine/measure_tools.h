// What the measure_*.cpp share: threads on CPUs, memory to stream over, figures.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "machine/measure.h"

namespace einkorn::machine {

double now();  // seconds

// Runs body(i) on each of `cpus` (system's numbers; -1: anywhere) at once, and waits.
void on_cpus(const std::vector<int>& cpus, Measuring* how, const std::function<void(int)>& body);

uint64_t available_memory();

struct Region {
  char* at = nullptr;
  size_t bytes = 0;
  Region() = default;
  Region(const Region&) = delete;
  ~Region();
  bool map(size_t size);
};

enum class Way { read, write };
// Reads or writes all of it once.
void go_over(Way way, char* at, size_t bytes);
// Bytes a second of all threads together, each streaming its part of a region over and over for `seconds`.
double stream_bandwidth(Way way, const std::vector<int>& cpus, const Region& r, double seconds, Measuring* how);

// The first hardware thread of each core of a node (-1: of all nodes).
std::vector<int> one_a_core(const Machine& m, int node);

inline void put(Machine* m, const std::string& name, double value) { m->measured.push_back({name, value}); }

// Least time of one of `repeats` in ns, over several rounds of some milliseconds.
template <class Round>
double least_ns(double seconds, Round round) {
  int repeats = 1;
  double least = 1e30;
  for (double begin = now(); now() - begin < seconds || least == 1e30;) {
    double from = now();
    round(repeats);
    double took = now() - from;
    if (took < 0.002 && repeats < 1'000'000) repeats *= 2;
    else least = std::min(least, took * 1e9 / repeats);
  }
  return least;
}

}  // namespace einkorn::machine
