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

// A line takes what it took there at its fastest. By which factor it took longer at its slowest; 1: not known. With a
// second recording, what it took when each was made counts, not all that was ever seen.
double take_line(const profile::RuntimeCosts& measured_there, const profile::RuntimeCosts& second,
                 const machine::Machine& m, Costs& costs);

// The bandwidth of the memory where a recording was made, for a model of one node that does not tell: that of all cores
// when their threads slowed each other down most, less 15 %, by which measurements within a minute differ (of 50 on a
// virtual machine, two threads had 1.04 to 1.46 times what one has, half of them 1.2 to 1.3). False: nobody knows it,
// or the model tells.
bool take_streams(const profile::RuntimeCosts& measured_there, machine::Machine& m);
// The same machine with the bandwidth that all cores usually have, if that is known.
machine::Machine with_usual_streams(const profile::RuntimeCosts& measured_there, machine::Machine m);

// Did all that the recorded program had in memory fit into the caches of that machine? Then none of its threads waited
// for the memory's bandwidth, nor would more of them. The recording tells the cache of the machine that it was made on
// (`real`), a model its own; half of it, as code, the system and other programs need room there, too.
bool fits_cache(const profile::Profile& recorded, const machine::Machine& m);

// Wakes for each time that a recorded thread waited for a lock: by what waking took of who released the locks, and what
// one wake takes there. Negative: too few waited to say.
double slept_share(const profile::Profile& recorded, const Costs& costs);

}  // namespace einkorn::simulate
