// Small questions about a Machine.
#pragma once
#include "machine/cpus.h"
#include "machine/topology.h"
#include "machine/types.h"

namespace einkorn::machine {

// All nodes, nearest first: `from` itself, then by distance; of equals the ones of the same socket first, then the next
// in the machine's order after `from` (so that neighbours do not all go to node 0 first).
std::vector<int> nodes_by_distance(const Machine& m, int from);

// By the system's numbers (the model's, where the machine is not this computer).
CpuSet cpus_of_node(const Machine& m, int node);
CpuSet cpus_of(const Machine& m);

// Index of the PU or node that has the system's number `os`; of the node that has most CPUs of `set`. -1: none.
int pu_of(const Machine& m, int os);
int node_with_os(const Machine& m, int os);
int node_of(const Machine& m, const CpuSet& set);

// As groups() of topology.h, of a machine, in the order of place_tour() (tour.h) over the nodes.
CpuSets groups(const Machine& m, Level level, const CpuSet& allowed);

// Nodes that have a CPU: memory alone runs nothing.
std::vector<int> nodes_with_cpus(const Machine& m);

}  // namespace einkorn::machine
