// The CPUs this process may use. The rest of the machine (nodes, caches, distances, places) comes with src/machine's
// topology; nothing here needs it.
#pragma once

namespace einkorn::machine {

// Number of CPUs in the calling thread's affinity mask, at least 1. Reads the kernel each time: taskset or a cgroup may
// have changed it.
int allowed_cpus();

}  // namespace einkorn::machine
