// The CPUs this process may use. The rest of the machine (nodes, caches, distances) is in topology.h; nothing here
// needs it.
#pragma once
#include <sched.h>

namespace einkorn::inline base {

// The largest number of CPUs, for masks of a fixed size: Linux is built for at most 8,192.
inline constexpr int kMaxCpus = 8192;

// A set of CPUs, numbered as the system does.
class CpuSet {
 public:
  void add(int cpu) {
    if (cpu >= 0 && cpu < kMaxCpus) words_[cpu / 64] |= 1ul << (cpu % 64);
  }
  void remove(int cpu) {
    if (cpu >= 0 && cpu < kMaxCpus) words_[cpu / 64] &= ~(1ul << (cpu % 64));
  }
  bool has(int cpu) const { return cpu >= 0 && cpu < kMaxCpus && (words_[cpu / 64] >> (cpu % 64) & 1); }
  void keep(const CpuSet& other) {
    for (int i = 0; i < kWords; ++i) words_[i] &= other.words_[i];
  }
  void take(const CpuSet& others) {
    for (int i = 0; i < kWords; ++i) words_[i] &= ~others.words_[i];
  }
  int count() const {
    int n = 0;
    for (unsigned long w : words_) n += __builtin_popcountl(w);
    return n;
  }
  bool empty() const { return next(0) < 0; }
  int next(int from) const {  // first member >= from, or -1
    for (int i = from / 64; from < kMaxCpus && i < kWords; ++i) {
      unsigned long w = words_[i];
      if (i == from / 64) w &= ~0ul << (from % 64);
      if (w) return i * 64 + __builtin_ctzl(w);
    }
    return -1;
  }
  bool operator==(const CpuSet& o) const {
    for (int i = 0; i < kWords; ++i)
      if (words_[i] != o.words_[i]) return false;
    return true;
  }
  cpu_set_t* system() { return reinterpret_cast<cpu_set_t*>(words_); }
  const cpu_set_t* system() const { return reinterpret_cast<const cpu_set_t*>(words_); }
  static constexpr size_t bytes() { return sizeof(words_); }

 private:
  static constexpr int kWords = kMaxCpus / 64;
  unsigned long words_[kWords] = {};
};

// The affinity mask of a thread (0: the calling one), as the system has it now: taskset or a cgroup may have changed
// it.
bool affinity(int thread, CpuSet* out);
bool set_affinity(const CpuSet& cpus);  // of the calling thread; false: errno says why

// The CPUs that the process may use, as its first thread found them: read when the runtime is loaded, before any thread
// is bound, and never again.
const CpuSet& process_cpus();

// Number of CPUs in the calling thread's affinity mask, at least 1. Reads the kernel each time.
int allowed_cpus();
// One more than the highest CPU number that the machine can have.
int possible_cpus();

}  // namespace einkorn::inline base
