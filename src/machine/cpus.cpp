#include "machine/cpus.h"

#include <sched.h>
#include <unistd.h>

namespace einkorn::machine {

int allowed_cpus() {
  // A fixed set of 1,024 CPUs is too small on some machines: the kernel then answers EINVAL and we ask with more room.
  for (int cpus = 1024; cpus <= 1 << 20; cpus *= 4) {
    cpu_set_t* set = CPU_ALLOC(cpus);
    if (!set) break;
    size_t bytes = CPU_ALLOC_SIZE(cpus);
    int failed = sched_getaffinity(0, bytes, set);
    int count = failed ? 0 : CPU_COUNT_S(bytes, set);
    CPU_FREE(set);
    if (count > 0) return count;
  }
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 ? int(online) : 1;
}

}  // namespace einkorn::machine
