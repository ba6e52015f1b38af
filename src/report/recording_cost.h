// What recording took of the program's time, by what its constructs cost on that machine with and without it.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include "profile/metrics.h"
#include "profile/types.h"

namespace einkorn::report {

// What making, fetching and running a task or chunk as such cost in the recording, and cost where nobody records: ns of
// thread time beyond its body. What it shows of its own is in the grain's times; what it keeps the processor from, is
// not.
profile::MeasuredCost grain_cost(const profile::Profile&, const profile::Grain&);

// Of wall time, in ns. Nothing: the recording does not tell what its machine's constructs cost.
std::optional<int64_t> recording_slowed(const profile::Profile&, const profile::Metrics&);

// "recording slowed the program by about 12.0 ms (8.1 %)"; empty: by less than 1 %, or not known.
std::string recording_slowed_text(const profile::Profile&, const profile::Metrics&);

}  // namespace einkorn::report
