// What a single recording says of the memory part of its times: less than two (inflation.h), more than nothing.
//
// In most programs, what a team does between two of its barriers (a phase) goes over the program's memory once, or over
// a part of it. All of it, R bytes, takes R / rate ns of thread time. So of a line whose n phases took t ns of thread
// time together, memory has the part m = n R / (rate t) at most. Half of all programs are taken to go over all of their
// memory in a phase, so that the part is m, and half over any part of it, so that it is m / 2 on average: 3/4 m. Where
// m is beyond 1 the phases cannot have gone over all of it, and the part is a half; between 1.25 and 2, as neither R
// nor rate is known exactly, it falls from 3/4 to that. Who goes over the same bytes again and again in a phase has
// more: so this is what is likely, and no end of a range.
//
// Between two barriers tasks may go over the memory any number of times, so of them nothing is known: a half.
#pragma once
#include <vector>

#include "profile/types.h"

namespace einkorn::simulate {

// By source, for Change::memory. rate: bytes a ns that each thread gets of the memory while it waits for it, with as
// many threads as in the recording. Empty: the recording does not tell how much memory its program had.
std::vector<float> likely_memory(const profile::Profile& recorded, double rate);

}  // namespace einkorn::simulate
