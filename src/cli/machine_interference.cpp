#include "cli/machine_interference.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <memory>
#include <sys/resource.h>
#include <unistd.h>

#include "base/cpus.h"

namespace einkorn::cli {

namespace {

double seconds(const timeval& t) { return double(t.tv_sec) + double(t.tv_usec) * 1e-6; }

double used(int who) {
  rusage use{};
  getrusage(who, &use);
  return seconds(use.ru_utime) + seconds(use.ru_stime);
}

}  // namespace

Interference::Reading Interference::now() {
  Reading r;
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  r.wall_s = double(time.tv_sec) + double(time.tv_nsec) * 1e-9;
  r.own_s = used(RUSAGE_SELF) + used(RUSAGE_CHILDREN);
  const std::unique_ptr<FILE, int (*)(FILE*)> file(fopen("/proc/stat", "re"), fclose);
  if (!file) return r;
  const double tick_s = 1 / double(sysconf(_SC_CLK_TCK));
  char line[512];
  while (fgets(line, sizeof line, file.get())) {
    int cpu;
    // user, nice, system, idle, iowait, irq, softirq, steal: proc(5). Guests are part of user.
    unsigned long long t[8] = {};
    if (sscanf(line, "cpu%d %llu %llu %llu %llu %llu %llu %llu %llu", &cpu, &t[0], &t[1], &t[2], &t[3], &t[4], &t[5],
               &t[6], &t[7]) < 5 ||
        cpu < 0 || cpu >= base::kMaxCpus || !base::process_cpus().has(cpu))
      continue;
    r.busy_s += double(t[0] + t[1] + t[2] + t[5] + t[6] + t[7]) * tick_s;
    ++r.cpus;
  }
  r.known = r.cpus > 0;
  return r;
}

double Interference::share() const {
  const Reading end = now();
  const double time = (end.wall_s - start_.wall_s) * end.cpus;
  if (!start_.known || !end.known || time <= 0) return -1;
  const double others = (end.busy_s - start_.busy_s) - (end.own_s - start_.own_s);
  return std::clamp(others / time, 0.0, 1.0);
}

}  // namespace einkorn::cli
