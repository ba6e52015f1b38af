// What a single recording says of the memory part of its times: less than two (inflation.h), more than nothing.
//
// What a team does between two of its barriers reads or writes each byte of its program's memory once, or a part of
// them, in most programs. So at least `rate` bytes a ns of memory's time cannot be more than the program's memory has:
// a line of n phases, of t ns of thread time together, in a program of R bytes, has a memory part of n R / (rate t) at
// most. In half of all programs phases are taken to go over all of it, so that it is just this part; in the others over
// any part of it. A line that would need more than all of its time for all bytes goes over a part of them. What goes
// over the same bytes again and again in a phase is beyond that: so this is what is likely, and no bound of a range.
//
// Of tasks nothing is known: there are steps of any number between two barriers. They get a half.
#pragma once
#include <vector>

#include "profile/types.h"

namespace einkorn::simulate {

// By source, for Change::memory. rate: bytes a ns that each thread gets of the memory while it waits for it, with as
// many threads as in the recording. Empty: the recording does not tell how much memory its program had.
std::vector<float> likely_memory(const profile::Profile& recorded, double rate);

}  // namespace einkorn::simulate
