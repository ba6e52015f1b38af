#include "machine/topology.h"

#include <cstdlib>

#include "machine/from_hwloc.h"
#include "machine/near.h"
#include "machine/sys.h"

namespace einkorn::machine {

CpuSets groups(Level level, const CpuSet& allowed) {
  if (allowed.empty()) return {nullptr, 0};
  Machine m;
  if (!real_from_hwloc(allowed, &m)) m = real_from_sys(allowed);
  CpuSets found = groups(m, level, allowed);
  CpuSet rest = allowed, known = cpus_of(m);
  for (int cpu = known.next(0); cpu >= 0; cpu = known.next(cpu + 1)) rest.remove(cpu);
  if (!rest.empty()) found.sets[found.count++] = rest;  // there is room for one more
  return found;
}

}  // namespace einkorn::machine
