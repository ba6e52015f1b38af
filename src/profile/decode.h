// Blocks -> Recording: every stream through its state machine, and the tables of modules, sites and threads.
#pragma once
#include "profile/raw.h"
#include "profile/reader.h"
#include "profile/state_clock.h"

namespace einkorn::profile {

// How much a file of so many bytes may take: more than any recording of a program does, which packs to a byte a record at the least.
// What exceeds it was made to, or is damaged.
inline constexpr uint64_t most_memory(uint64_t file_bytes) { return (256ull << 20) + 1024 * file_bytes; }

// What cannot be read is counted in `out`. Returns 0, or about how many bytes the whole recording would take where that
// is more than `memory_bytes`: then `out` is of no use.
uint64_t decode(Reader&, uint64_t memory_bytes, const std::function<void(double)>& progress, const IntervalSink& intervals,
                Recording& out);

}  // namespace einkorn::profile
