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

// Sink for the values that are read, so that no compiler drops the reads.
inline void keep(uint64_t value) {
  [[maybe_unused]] static volatile uint64_t sink;
  sink = value;
}

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

// The least time of one repetition in ns, over several rounds of `repeats`, each some milliseconds long.
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
