// How the machine's CPUs are grouped: cores, caches, memory nodes, sockets. Read through hwloc, which is opened only
// when it is asked for (loading it costs more than everything else at start); without hwloc, from /sys.
#pragma once
#include "base/cpus.h"

namespace einkorn::machine {

enum class Level { thread, core, cache, numa, socket };  // cache: the last level, which most CPUs share

// Sets of CPUs that share a level, in the machine's order (neighbours first; where distances differ, the nodes in the
// order of tour.h). Each is limited to the members of `allowed`; empty sets are left out. CPUs about which the machine
// tells nothing form a set of their own, at the end. Never throws; at least one set unless `allowed` is empty. The list
// comes from malloc: the caller frees it.
struct CpuSets {
  CpuSet* sets;
  int count;
};
CpuSets groups(Level level, const CpuSet& allowed);

}  // namespace einkorn::machine
