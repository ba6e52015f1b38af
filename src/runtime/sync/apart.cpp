#include "runtime/sync/apart.h"

#include <algorithm>
#include <sched.h>
#include <unistd.h>

#include "base/cpus.h"
#include "base/tunables.h"
#include "record/system.h"
#include "runtime/sync/sleep.h"
#include "runtime/team/worker.h"

namespace einkorn::runtime {

namespace {

// The CPU and, above it, the time in us: 0 is never.
constexpr int kCpuBits = 13;
static_assert(base::kMaxCpus <= 1 << kCpuBits);
uint64_t whereabouts(uint64_t now, int cpu) { return now / 1000 << kCpuBits | uint64_t(cpu); }
int cpu_of(uint64_t whereabouts) { return int(whereabouts & ((1 << kCpuBits) - 1)); }
// With more threads than CPUs: by CPU, at most so many are counted.
constexpr int kThreadsByCpu = 4;
bool is_fresh(uint64_t whereabouts, uint64_t now) {
  return int64_t(now / 1000 - (whereabouts >> kCpuBits)) * 1000 < int64_t(tunables::kWhereaboutsLast);
}

int tell_cpu(Worker* w, uint64_t now) {
  const int cpu = this_cpu();
  if (cpu >= 0) w->whereabouts.store(whereabouts(now, cpu), std::memory_order_relaxed);
  return cpu;
}

// How many of the team's other threads are where: with_more[k] are the CPUs that have more than k of them.
struct Others {
  base::CpuSet with_more[kThreadsByCpu];
  int here = 0;  // awake on this thread's CPU

  void add(int cpu) {
    for (base::CpuSet& set : with_more)
      if (!set.has(cpu)) return set.add(cpu);
  }
};

// Where one that is awake may be is not known if it has not said so for a while: false, then nothing is.
bool find_others(const Worker* w, Team* team, int n, int here, uint64_t now, Others& found) {
  for (int i = 0; i < n; ++i) {
    const Worker* other = worker_of(team->slots[i]);
    if (!other || other == w) continue;
    const uint64_t there = other->whereabouts.load(std::memory_order_relaxed);
    const bool awake = park_state(other->park.load(std::memory_order_relaxed)) != ParkState::asleep;
    if (awake && there != 0 && !is_fresh(there, now)) return false;
    if (there == 0) continue;  // it has not begun
    found.add(cpu_of(there));
    found.here += awake && cpu_of(there) == here;
  }
  return true;
}

// Of these CPUs, those that have the fewest of the others, if that is fewer than there are here; else none.
base::CpuSet better_cpus(const base::CpuSet& allowed, int here, const Others& others) {
  base::CpuSet better;
  for (int k = 0; k < std::min(others.here, kThreadsByCpu) && better.empty(); ++k) {
    better = allowed;
    better.take(others.with_more[k]);
    better.remove(here);
  }
  return better;
}

// Of a thread that had this mask. Where that was all of the machine's CPUs it may use those that come later, too.
void allow(base::CpuSet mask) {
  if (mask.count() >= sysconf(_SC_NPROCESSORS_ONLN))
    for (int cpu = 0; cpu < base::kMaxCpus; ++cpu) mask.add(cpu);
  if (!base::set_affinity(mask)) base::set_affinity(base::process_cpus());
}

}  // namespace

void tell_cpu(Worker* w) { tell_cpu(w, record::monotonic_ns()); }

int this_cpu() { return sched_getcpu(); }

bool was_elsewhere(const Worker& w, int cpu) {
  const uint64_t there = w.whereabouts.load(std::memory_order_relaxed);
  return cpu < 0 || there == 0 || cpu_of(there) != cpu;
}

// Relaxed throughout: what is read of others is where they were, and decides nothing but where this thread runs.
EK_NOINLINE void move_apart(Worker* w, bool is_new) {
  Team* team = w->team;
  const int n = team->n.load(std::memory_order_relaxed);
  const int busy = int(g_busy_threads.load(std::memory_order_relaxed));
  if (n == 1) return;
  if (n > team->cpus ? !is_new || busy > kThreadsByCpu * g_cpus : busy >= g_cpus) return;
  const uint64_t now = record::monotonic_ns();
  if (int64_t(now - w->looked_apart) < int64_t(tunables::kMoveAgain)) return;
  w->looked_apart = now;
  const int here = tell_cpu(w, now);
  base::CpuSet allowed;
  if (here < 0 || !base::affinity(0, &allowed) || allowed.count() < std::min(n, team->cpus)) return;
  Others others;
  if (!find_others(w, team, n, here, now, others)) return;
  const base::CpuSet better = better_cpus(allowed, here, others);
  if (better.empty() || record::filters_system_calls().value_or(true)) return;
  if (!base::set_affinity(better)) return;
  allow(allowed);
  tell_cpu(w, now);
}

}  // namespace einkorn::runtime
