// Names of recordings: %h host, %p process, %r MPI rank, %% a percent sign.
#pragma once
#include <cstdint>
#include "record/system.h"

namespace einkorn::record {

// The MPI rank as the launcher tells it in the environment, or -1.
int64_t mpi_rank();

// What process `pid` makes of a pattern. Absolute, since the program may change its directory before the file is made. Where one of
// several ranks is asked for a name without %r and %p, it puts its rank in: app.rank3.grain; else each would replace the others'.
// False: too long.
bool expand_name(const char* pattern, int pid, TextBuffer& out);

// app.grain -> app.123.grain, for the second process that finds app.grain taken; attempt > 1: app.123.2.grain.
bool alternative_name(const char* name, int pid, int attempt, TextBuffer& out);

}  // namespace einkorn::record
