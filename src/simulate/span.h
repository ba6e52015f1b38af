// The longest path of a program with what the runtime does on it.
#pragma once
#include "simulate/types.h"

namespace einkorn::simulate {

// Program::span() with the costs of creating, fetching, chunks, regions and barriers along the way: nothing of thefts,
// wake-ups and memory, which depend on who runs what. ns. (Cilkview's burdened dag, with costs of our runtime.)
double burdened_span(const Program& program, const Costs& costs);

}  // namespace einkorn::simulate
