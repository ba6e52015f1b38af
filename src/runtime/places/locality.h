// On which memory node a thread runs: what src/memory asks of the runtime, and the routines about domains.
#pragma once
#include "memory/nodes.h"

namespace einkorn::runtime {

// Once, when the library is loaded. Asks nothing of the machine yet.
void locality_init();

// Of the calling thread, -1: not known. Of its place, where that lies on one node, else of the CPU on which it runs; on
// a machine that is not this computer a thread without a place counts as on the PU of its number.
int current_node();
// Adds the nodes of a place's CPUs.
void add_nodes_of_place(int place, memory::NodeSet* set);

}  // namespace einkorn::runtime
