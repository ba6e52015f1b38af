#include "runtime/sync/apart.h"

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
bool is_fresh(uint64_t whereabouts, uint64_t now) {
  return int64_t(now / 1000 - (whereabouts >> kCpuBits)) * 1000 < int64_t(tunables::kWhereaboutsLast);
}

int tell_cpu(Worker* w, uint64_t now) {
  const int cpu = this_cpu();
  if (cpu >= 0) w->whereabouts.store(whereabouts(now, cpu), std::memory_order_relaxed);
  return cpu;
}

// Is another thread of the team awake on this CPU? Takes those where others are from the set. Where one that is awake
// may be is not known if it has not said so for a while: then nothing is.
bool shares_cpu(const Worker* w, Team* team, int n, int here, uint64_t now, base::CpuSet& cpus) {
  bool shared = false;
  for (int i = 0; i < n; ++i) {
    const Worker* other = worker_of(team->slots[i]);
    if (!other || other == w) continue;
    const uint64_t there = other->whereabouts.load(std::memory_order_relaxed);
    const bool awake = park_state(other->park.load(std::memory_order_relaxed)) != ParkState::asleep;
    if (awake && there != 0 && !is_fresh(there, now)) return false;
    if (there == 0) continue;  // it has not begun
    cpus.remove(cpu_of(there));
    shared |= awake && cpu_of(there) == here;
  }
  return shared;
}

// Of a thread that had this mask. Where that was all of the machine's CPUs it may use those that come later, too.
void allow(base::CpuSet& mask) {
  if (mask.count() >= sysconf(_SC_NPROCESSORS_ONLN))
    for (int cpu = 0; cpu < base::kMaxCpus; ++cpu) mask.add(cpu);
  if (!base::set_affinity(mask)) base::set_affinity(base::process_cpus());
}

// The calling thread goes to one of these CPUs; afterwards it may use all that it might before.
void go_to(Worker* w, const base::CpuSet& cpus, base::CpuSet& allowed, uint64_t now) {
  if (cpus.empty() || record::filters_system_calls().value_or(true) || !base::set_affinity(cpus)) return;
  allow(allowed);
  tell_cpu(w, now);
}

// How many of a team are where, up to a number by CPU.
class Crowd {
 public:
  void add(int cpu) {
    for (base::CpuSet& set : with_more_)
      if (!set.has(cpu)) return set.add(cpu);
  }
  // Those of `allowed` where fewest are, if that is fewer than on this one.
  base::CpuSet better_than(int cpu, const base::CpuSet& allowed) const {
    base::CpuSet better;
    for (int k = 0; k < kMostByCpu && with_more_[k].has(cpu) && better.empty(); ++k) {
      better = allowed;
      better.take(with_more_[k]);
    }
    return better;
  }

 private:
  base::CpuSet with_more_[kMostByCpu];  // [k]: the CPUs that have more than k
};

}  // namespace

void tell_cpu(Worker* w) { tell_cpu(w, record::monotonic_ns()); }

int this_cpu() { return sched_getcpu(); }

bool was_elsewhere(const Worker& w, int cpu) {
  const uint64_t there = w.whereabouts.load(std::memory_order_relaxed);
  return cpu < 0 || there == 0 || cpu_of(there) != cpu;
}

// Relaxed throughout: what is read of others is where they were, and decides nothing but where this thread runs.
EK_NOINLINE void move_apart(Worker* w) {
  Team* team = w->team;
  const int n = team->n;
  if (n == 1 || n > team->cpus || g_busy_threads.load(std::memory_order_relaxed) >= g_cpus) return;
  const uint64_t now = record::monotonic_ns();
  if (int64_t(now - w->looked_apart) < int64_t(tunables::kMoveAgain)) return;
  w->looked_apart = now;
  const int here = tell_cpu(w, now);
  base::CpuSet allowed;
  if (here < 0 || !base::affinity(0, &allowed) || allowed.count() < n) return;
  base::CpuSet others = allowed;
  if (!shares_cpu(w, team, n, here, now, others)) return;
  others.remove(here);
  go_to(w, others, allowed, now);
}

// Relaxed, as above. Those that have not said where they are have not begun, and will come here, too.
EK_NOINLINE void spread_out(Worker* w) {
  Team* team = w->team;
  const int n = team->n;
  const uint64_t now = record::monotonic_ns();
  const int here = tell_cpu(w, now);
  base::CpuSet allowed;
  if (here < 0 || g_busy_threads.load(std::memory_order_relaxed) > kMostByCpu * g_cpus ||
      !base::affinity(0, &allowed) || allowed.count() < team->cpus)
    return;
  Crowd crowd;
  for (int i = 0; i < n; ++i)
    if (const Worker* other = worker_of(team->slots[i]); other && other != w)
      if (const uint64_t there = other->whereabouts.load(std::memory_order_relaxed)) crowd.add(cpu_of(there));
  go_to(w, crowd.better_than(here, allowed), allowed, now);
}

}  // namespace einkorn::runtime
