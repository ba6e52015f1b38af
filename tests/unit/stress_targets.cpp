// Deferred target tasks in random order, beside host tasks and in teams of changing size: chains, taskgroups, and waits
// of each kind. The host is the only device, so the regions use its memory.
#include <omp.h>
#include "stress_watchdog.h"

using namespace stress;

namespace {

// Chains of target tasks, host tasks and updates over a few variables. Each variable's tasks run in order.
void chains(uint64_t seed, int tasks) {
  constexpr int kVariables = 4;
  long values[kVariables] = {}, expected[kVariables] = {};
  Random random{seed};
  for (int i = 0; i < tasks; ++i) {
    const auto v = random.below(kVariables);
    long* p = values + v;
    expected[v] = expected[v] * 3 + i;
    switch (random.below(4)) {
      case 0:
#pragma omp task depend(inout : p[0]) firstprivate(p, i)
        p[0] = p[0] * 3 + i;
        break;
      case 1:
#pragma omp target nowait depend(inout : p[0]) is_device_ptr(p) firstprivate(i)
      {
        std::this_thread::yield();
        p[0] = p[0] * 3 + i;
      }
#pragma omp target update to(expected) nowait depend(inout : p[0])
      break;
      default:
#pragma omp target nowait depend(inout : p[0]) is_device_ptr(p) firstprivate(i)
        p[0] = p[0] * 3 + i;
    }
    if (random.below(16) == 0) {
#pragma omp taskwait depend(in : p[0])
      STRESS_CHECK(p[0], expected[v]);
    }
  }
#pragma omp taskwait
  for (int v = 0; v < kVariables; ++v) STRESS_CHECK(values[v], expected[v]);
  progress();
}

void groups(uint64_t seed) {
  std::atomic<long> count{0};
  auto* p = &count;
  const int tasks = int(mix(seed) % 20);
#pragma omp taskgroup
  {
    for (int i = 0; i < tasks; ++i) {
#pragma omp task shared(count)
      {
#pragma omp target nowait is_device_ptr(p)
        p->fetch_add(1, std::memory_order_relaxed);
      }
    }
  }
  STRESS_CHECK(count.load(), long(tasks));
  progress();
}

}  // namespace

int main(int argc, char** argv) {
  Budget budget(argc, argv, "stress_targets");
  omp_set_dynamic(0);
  uint64_t round = 0;
  for (; budget.left(); ++round) {
    const uint64_t seed = mix(budget.seed * 1000003 + round);
    chains(seed, 60);
    groups(seed);
#pragma omp parallel num_threads(threads_of_round(round))
    {
      const uint64_t mine = seed * 100 + uint64_t(omp_get_thread_num());
      chains(mine, 30);
      groups(mine);
    }
    // Two threads of the program's own, outside of all regions.
    std::thread other([seed] { chains(seed * 7, 30); });
    chains(seed * 5, 30);
    other.join();
  }
  std::printf("%llu rounds\n", (unsigned long long)round);
}
