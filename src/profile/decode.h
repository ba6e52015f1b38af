// Blocks -> Recording: every stream through its state machine, and the tables of modules, sites and threads.
#pragma once
#include "profile/raw.h"
#include "profile/reader.h"
#include "profile/state_clock.h"

namespace einkorn::profile {

// What cannot be read is counted in `out`. Returns 0, or about how many bytes the whole recording would take where that
// is more than `memory_bytes`: then `out` is of no use.
uint64_t decode(Reader&, uint64_t memory_bytes, const std::function<void(double)>& progress, const IntervalSink& intervals,
                Recording& out);

}  // namespace einkorn::profile
