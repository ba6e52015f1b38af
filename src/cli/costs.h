// The costs of the runtime's constructs on this machine: measured once for each version of the runtime and for each
// distance between two CPUs that is met, and kept in a file in the user's cache folder.
#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "cli/launch.h"
#include "profile/costs.h"
#include "record/system.h"

namespace einkorn::cli {

// Returns the costs that are kept for what a line takes now; otherwise measures them (about a second), and keeps them
// if possible. Those of another distance, or nothing but the size of the cache (threads 0), if they cannot be measured,
// or if somebody else had the CPUs: then it is tried again ten minutes later.
profile::RuntimeCosts runtime_costs();

// What a recorded program is told of them (EINKORN_RECORD_COSTS); empty: nothing. Not for another runtime, nor as if on
// another machine: no gains in seconds are promised there.
std::string told_costs(const Launch& launch);

// Measures with the library in that file, in this process, which must be a child of the caller: the library stays
// loaded. The environment says whether it records.
void measure_costs(const std::string& library, uint32_t threads, bool recorded, profile::RuntimeCosts& out);

// The costs of waiting on this machine, between two of its CPUs; nothing if there is only one. Call it before the
// library measures, which binds the caller.
void measure_waiting(profile::RuntimeCosts& out);

// A cache line between two CPUs, at this moment, ns; negative: there is only one, or others have them. Some 0.3 ms.
double line_now();

// What one thread has of the memory's bandwidth, and what threads on all cores have (at most so many), if there are two
// cores or more and one memory node.
void measure_streams(uint32_t threads, profile::RuntimeCosts& out);

// What one or more rounds say together; line_now: the line in their middle.
profile::RuntimeCosts of_rounds(const std::vector<profile::RuntimeCosts>& rounds);

// The median of one or more measurements; for an even number the larger of the middle two.
inline double middle_of(std::vector<double> measured) {
  const auto middle = measured.begin() + long(measured.size() / 2);
  std::nth_element(measured.begin(), middle, measured.end());
  return *middle;
}

inline double now_ns() { return double(record::monotonic_ns()); }

}  // namespace einkorn::cli
