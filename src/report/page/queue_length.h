// How many tasks were waiting to be started, over time: created, and not started yet, in whatever queue or for what
// they depend on.
#pragma once
#include <cstdint>
#include <vector>
#include "profile/types.h"

namespace einkorn::report {

struct QueueLength {
  int64_t bin_ns = 0;         // 0: no task waited
  std::vector<double> tasks;  // mean over the bin: exact, as each task is in it for as long as it waited
};

// In at most so many bins of the recording's time. Tasks that their creator ran at once wait for nothing.
QueueLength queue_length(const profile::Profile&, size_t most_bins);

}  // namespace einkorn::report
