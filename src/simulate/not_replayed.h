// What a schedule or a program decides in the runtime and a replay does not have: said with what it predicts, never
// passed over.
#pragma once
#include <string>
#include <vector>

#include "simulate/types.h"

namespace einkorn::simulate {

// A sentence each, without its stop. Empty: all of it is asked of src/schedule, as the runtime does. tiny: see below.
std::vector<std::string> not_replayed(const schedule::Schedule&, double tiny = 0);

// Of the program's tasks the share that are so short that the runtime may run them at once (schedule/tiny.h).
double tiny_share(const Program&);

}  // namespace einkorn::simulate
