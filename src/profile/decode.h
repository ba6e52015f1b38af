// Blocks -> Recording: every stream through its state machine, and the tables of modules, sites and threads.
#pragma once
#include <functional>

#include "profile/raw.h"
#include "profile/reader.h"
#include "profile/state_clock.h"

namespace einkorn::profile {

// The memory that a file of so many bytes may take: more than that of any program's recording, which packs to at least
// a byte per record. A file that exceeds it is damaged, or was made to fill memory.
inline constexpr uint64_t most_memory(uint64_t file_bytes) { return (256ull << 20) + 1024 * file_bytes; }

// Counts in `out` what cannot be read. Returns 0; or, if the whole recording would take more than `memory_bytes`, about
// how many bytes it would take: then `out` must not be used.
uint64_t decode(Reader&, uint64_t memory_bytes, const std::function<void(double)>& progress,
                const IntervalSink& intervals, Recording& out);

// Only the tables of sites, modules and names, and each instruction whose accesses were counted, once.
void decode_places(Reader&, Recording& out);

}  // namespace einkorn::profile
