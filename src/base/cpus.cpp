#include "base/cpus.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace einkorn::inline base {

bool affinity(int thread, CpuSet* out) {
  *out = CpuSet{};
  return sched_getaffinity(thread, CpuSet::bytes(), out->system()) == 0;
}

bool set_affinity(const CpuSet& cpus) { return sched_setaffinity(0, CpuSet::bytes(), cpus.system()) == 0; }

const CpuSet& process_cpus() {
  static const CpuSet set = [] {
    CpuSet found;
    if (!affinity(0, &found) || found.empty())
      for (int cpu = 0, n = int(sysconf(_SC_NPROCESSORS_ONLN)); cpu < (n > 0 ? n : 1); ++cpu) found.add(cpu);
    return found;
  }();
  return set;
}

int allowed_cpus() {
  CpuSet set;
  if (affinity(0, &set)) {
    int count = set.count();
    if (count > 0) return count;
  }
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 ? int(online) : 1;
}

int possible_cpus() {
  // "0-7" or "0,2-5": the number behind the last separator.
  char text[256];
  int file = open("/sys/devices/system/cpu/possible", O_RDONLY | O_CLOEXEC);
  ssize_t n = file < 0 ? -1 : ::read(file, text, sizeof text - 1);
  if (file >= 0) close(file);
  if (n > 0) {
    text[n] = 0;
    const char* last = text;
    for (const char* c = text; *c; ++c)
      if (*c == '-' || *c == ',') last = c + 1;
    int highest = atoi(last);
    if (highest >= 0 && highest < kMaxCpus) return highest + 1;
  }
  long configured = sysconf(_SC_NPROCESSORS_CONF);
  return configured > 0 ? int(configured) : 1;
}

}  // namespace einkorn::inline base
