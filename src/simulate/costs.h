// What Einkorn's operations take on a machine: from its own measurements where the model has them (`einkorn machine
// --measure`), else by the figures of docs/performance.md, which are of one computer.
#pragma once
#include "profile/types.h"
#include "simulate/types.h"

namespace einkorn::simulate {

Costs costs_of(const machine::Machine& m);

// What waiting comes to where a recording was made: pauses and wakes are the processor's and the system's, of which no
// model tells; lines only where the model is of one node and does not tell.
void take_waiting(const profile::RuntimeCosts& measured_there, const machine::Machine& m, Costs& costs);

// Wakes for each time that a recorded thread waited for a lock: by what waking took of who released the locks, and what
// one wake takes there. Negative: too few waited to say.
double slept_share(const profile::Profile& recorded, const Costs& costs);

}  // namespace einkorn::simulate
