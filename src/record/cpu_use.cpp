#include "record/cpu_use.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <unistd.h>
#include "base/cpus.h"
#include "record/stream.h"
#include "record/system.h"

namespace einkorn::record {

namespace {

int64_t cpu_ns(clockid_t clock) {
  timespec ts;
  return clock_gettime(clock, &ts) == 0 ? int64_t(ts.tv_sec) * 1'000'000'000 + ts.tv_nsec : -1;
}

// The eighth number after a CPU's name in /proc/stat, in clock ticks. The lines of CPUs come first.
int64_t stolen_so_far() {
  const CpuSet& mask = process_cpus();
  const int fd = open("/proc/stat", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  char text[4096];
  size_t have = 0;
  int64_t sum = 0;
  bool over = false;
  while (!over) {
    const ssize_t n = read(fd, text + have, sizeof text - 1 - have);
    if (n <= 0) break;
    have += size_t(n);
    text[have] = 0;
    char* line = text;
    for (char* end; !over && (end = strchr(line, '\n')) != nullptr; line = end + 1) {
      unsigned cpu;
      unsigned long long steal;
      over = strncmp(line, "cpu", 3) != 0;
      if (sscanf(line, "cpu%u %*u %*u %*u %*u %*u %*u %*u %llu", &cpu, &steal) == 2 && mask.has(int(cpu)))
        sum += int64_t(steal);
    }
    have -= size_t(line - text);
    memmove(text, line, have);
    if (have == sizeof text - 1) break;
  }
  close(fd);
  return sum * (1'000'000'000 / sysconf(_SC_CLK_TCK));
}

}  // namespace

int64_t cpu_wait(const char* schedstat) {
  char text[64];
  text[std::max<ssize_t>(0, read_file(schedstat, text, sizeof text - 1))] = 0;
  // The third number is how often it got one. A kernel that keeps no account says 0 for all three.
  long long ran, waited;
  return sscanf(text, "%lld %lld", &ran, &waited) == 2 && ran > 0 ? waited : -1;
}

ThreadUse use_of_thread(uint32_t tid) {
  ThreadUse use;
  // As pthread_getcpuclockid() makes it, which needs a pthread_t: CPUCLOCK_SCHED and CPUCLOCK_PERTHREAD_MASK of Linux.
  use.on_cpu = cpu_ns(clockid_t(~tid << 3 | 6));
  char path[64];
  snprintf(path, sizeof path, "/proc/self/task/%u/schedstat", tid);
  use.waiting = cpu_wait(path);
  return use;
}

int64_t most_resident() {
  char text[4096];
  text[std::max<ssize_t>(0, read_file("/proc/self/status", text, sizeof text - 1))] = 0;
  long long kib;
  const char* line = strstr(text, "\nVmHWM:");
  return line && sscanf(line, "\nVmHWM: %lld kB", &kib) == 1 ? kib << 10 : -1;
}

void CpuUse::begin() {
  others_ = -cpu_ns(CLOCK_PROCESS_CPUTIME_ID);
  stolen_before_ = stolen_so_far();
}

void CpuUse::count(const ThreadUse& u, int sign) {
  others_ += sign * u.on_cpu;
  waiting_ -= sign * u.waiting;
  taken_ += u.taken;
  others_known_ &= u.on_cpu >= 0;
  waiting_known_ &= u.waiting >= 0;
}

int64_t CpuUse::others(int64_t writer_ns) const {
  if (!others_known_) return -1;
  return std::max<int64_t>(0, others_ + cpu_ns(CLOCK_PROCESS_CPUTIME_ID) - writer_ns);
}

int64_t CpuUse::stolen() const {
  const int64_t now = stolen_before_ < 0 ? -1 : stolen_so_far();
  return now < 0 ? -1 : std::max<int64_t>(0, now - stolen_before_);
}

int64_t CpuUse::waiting() const { return waiting_known_ ? std::max<int64_t>(0, waiting_) : -1; }

}  // namespace einkorn::record
