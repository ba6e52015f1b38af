// Names of recordings: %h host, %p process, %r MPI rank, %% a percent sign.
#pragma once
#include <cstdint>
#include "record/system.h"

namespace einkorn::record {

// The MPI rank as the launcher tells it in the environment, or -1.
int64_t mpi_rank();

// Expands a pattern for process `pid`. The name is absolute, since the program may change its directory before the file
// is made. If one of several ranks gets a pattern without %r and %p, the name includes the rank (app.rank3.grain);
// otherwise each rank would replace the others' file. False: too long.
bool expand_name(const char* pattern, int pid, TextBuffer& out);

// app.grain -> app.123.grain, for the second process that finds app.grain taken; attempt > 1: app.123.2.grain.
bool alternative_name(const char* name, int pid, int attempt, TextBuffer& out);

}  // namespace einkorn::record
