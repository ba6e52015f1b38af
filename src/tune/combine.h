// A candidate's hints beside those that have been accepted.
#pragma once
#include "tune/propose.h"

namespace einkorn::tune {

// Its number among the file's; added where it is not among them.
uint32_t object_in(hints::File& file, const hints::Object& object);

// The same file with the candidate's hints in it. Of two about the same code the candidate's counts, but for what it
// says nothing of.
hints::File with(const hints::File& file, const Candidate& candidate);

// Has one of its regions fewer threads than by the hints of that file? As its others have no more.
bool takes_fewer_threads(const hints::File& than, const Candidate& candidate);

}  // namespace einkorn::tune
