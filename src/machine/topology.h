// How the machine's CPUs lie together: cores, caches, memory nodes, sockets. Read through hwloc, which is opened when
// somebody asks and not before (loading it costs more than everything else at start); without it, from /sys.
#pragma once
#include "machine/cpus.h"

namespace einkorn::machine {

enum class Level { thread, core, cache, numa, socket };  // cache: the last one, that is shared by most

// Sets of CPUs that share a level, in the machine's order (neighbours first; round the nodes by tour.h where distances differ), each cut down to the members of `allowed`;
// empty ones left out. CPUs of which the machine tells nothing are in a set of their own, at the end. Never throws; at
// least one set unless `allowed` is empty. The list comes from malloc: to be freed.
struct CpuSets {
  CpuSet* sets;
  int count;
};
CpuSets groups(Level level, const CpuSet& allowed);

}  // namespace einkorn::machine
