#include "runtime/sync/apart.h"

#include <sched.h>

#include "base/tunables.h"
#include "record/system.h"
#include "runtime/sync/sleep.h"

namespace einkorn::runtime {

int next_free_cpu(const base::CpuSet& allowed, const base::CpuSet& taken, int here) {
  for (int from : {here + 1, 0})
    for (int cpu = allowed.next(from); cpu >= 0; cpu = allowed.next(cpu + 1))
      if (!taken.has(cpu)) return cpu;
  return -1;
}

void tell_cpu(Worker* w) { w->cpu.store(sched_getcpu(), std::memory_order_relaxed); }

// Relaxed throughout: what is read of others is where they were, and decides nothing but where this thread runs.
void move_apart(Worker* w) {
  Team* team = w->team;
  tell_cpu(w);
  const int here = w->cpu.load(std::memory_order_relaxed), n = team->n.load(std::memory_order_relaxed);
  if (here < 0 || n == 1 || n > team->cpus) return;
  base::CpuSet taken;
  bool shared = false;
  for (int i = 0; i < n; ++i) {
    const Worker* other = worker_of(team->slots[i]);
    if (!other || other == w) continue;
    const int cpu = other->cpu.load(std::memory_order_relaxed);
    taken.add(cpu);
    shared |= cpu == here && park_state(other->park.load(std::memory_order_relaxed)) != ParkState::asleep;
  }
  if (!shared) return;
  const uint64_t now = record::monotonic_ns();
  if (int64_t(now - w->moved) < int64_t(tunables::kMoveAgain)) return;
  w->moved = now;
  base::CpuSet allowed, one;
  if (!base::affinity(0, &allowed) || allowed.count() < n) return;
  const int there = next_free_cpu(allowed, taken, here);
  if (there < 0) return;
  one.add(there);
  // Told first: who shares this CPU is to see that it is left.
  w->cpu.store(there, std::memory_order_relaxed);
  if (base::set_affinity(one)) base::set_affinity(allowed);
}

}  // namespace einkorn::runtime
