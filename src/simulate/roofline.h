// The extended roofline (Schmidl 2016, 6.2) as a quick check beside the replay: T = max(Tm, Tc) + Ts, with
//   Tc = compute / threads,
//   Tm = sum over data of bytes / bw(threads, footprint): bandwidth by how much is touched, in caches or not,
//   Ts = sum over synchronisation: regions, barriers, tasks and chunks, by what they cost.
// What lies outside of regions is added as it is. It knows nothing of dependences, waits and imbalance: less than it
// nothing takes, but where caches do better than by their size.
#pragma once
#include "simulate/types.h"

namespace einkorn::simulate {

struct Roofline {
  double serial = 0, compute = 0, memory = 0, sync = 0;  // ns
  double total() const { return serial + (memory > compute ? memory : compute) + sync; }
};

// Of the program with as many members as there are workers. Bandwidth of memory is that of the workers' nodes together,
// or of the one node where the placement puts everything.
Roofline roofline(const Program& program, const Setup& setup);

// bytes a ns of all workers, streaming over so many bytes together.
double roofline_bandwidth(const Setup& setup, double footprint);

}  // namespace einkorn::simulate
