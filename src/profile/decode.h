// Blocks -> Recording: every stream through its state machine, and the tables of modules, sites and threads.
#pragma once
#include "profile/raw.h"
#include "profile/reader.h"
#include "profile/state_clock.h"

namespace einkorn::profile {

// Never fails: what cannot be read is counted in `out`.
void decode(Reader&, const std::function<void(double)>& progress, const IntervalSink& intervals, Recording& out);

}  // namespace einkorn::profile
