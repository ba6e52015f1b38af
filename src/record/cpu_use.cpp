#include "record/cpu_use.h"
#include <algorithm>
#include <cstdio>
#include <ctime>
#include "record/system.h"

namespace einkorn::record {

namespace {

int64_t cpu_ns(clockid_t clock) {
  timespec ts;
  return clock_gettime(clock, &ts) == 0 ? int64_t(ts.tv_sec) * 1'000'000'000 + ts.tv_nsec : -1;
}

}  // namespace

ThreadUse use_of_thread(uint32_t tid) {
  ThreadUse use;
  // As pthread_getcpuclockid() makes it, which wants a pthread_t: CPUCLOCK_SCHED and CPUCLOCK_PERTHREAD_MASK of Linux.
  use.on_cpu = cpu_ns(clockid_t(~tid << 3 | 6));
  char text[64];
  snprintf(text, sizeof text, "/proc/self/task/%u/schedstat", tid);
  text[std::max<ssize_t>(0, read_file(text, text, sizeof text - 1))] = 0;
  // Then how often it got one. A kernel that keeps no account says 0 to all.
  long long ran, waited;
  if (sscanf(text, "%lld %lld", &ran, &waited) == 2 && ran > 0) use.waiting = waited;
  return use;
}

void CpuUse::begin() { others_ = -cpu_ns(CLOCK_PROCESS_CPUTIME_ID); }

void CpuUse::count(const ThreadUse& u, int sign) {
  others_ += sign * u.on_cpu;
  waiting_ -= sign * u.waiting;
  others_known_ &= u.on_cpu >= 0;
  waiting_known_ &= u.waiting >= 0;
}

int64_t CpuUse::others(int64_t writer_ns) const {
  if (!others_known_) return -1;
  return std::max<int64_t>(0, others_ + cpu_ns(CLOCK_PROCESS_CPUTIME_ID) - writer_ns);
}

int64_t CpuUse::waiting() const { return waiting_known_ ? std::max<int64_t>(0, waiting_) : -1; }

}  // namespace einkorn::record
