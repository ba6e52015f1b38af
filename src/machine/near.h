// Small questions about a Machine.
#pragma once
#include "base/cpus.h"
#include "machine/topology.h"
#include "machine/types.h"

namespace einkorn::machine {

// By the system's numbers (the model's, where the machine is not this computer).
CpuSet cpus_of(const Machine& m);

// Index of the PU that has the system's number `os`. -1: none.
int pu_of(const Machine& m, int os);

// As groups() of topology.h, but for any machine, in the order of place_tour() (tour.h) over the nodes.
CpuSets groups(const Machine& m, Level level, const CpuSet& allowed);

// Nodes that have a CPU: memory alone runs nothing.
std::vector<int> nodes_with_cpus(const Machine& m);

}  // namespace einkorn::machine
