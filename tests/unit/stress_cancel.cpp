// Cancellation and task reductions in random order: regions that are cancelled at their barriers, early and late, with
// loops, tasks and taskgroups in them, and uncancelled ones in between, on teams of changing size, also nested; task
// reductions over stolen tasks. Cancellation must be on before the library is loaded: the program starts itself again.
#include <omp.h>
#include "stress_watchdog.h"

using namespace stress;

namespace {

void lag(uint64_t seed) {
  uint64_t h = mix(seed + uint64_t(omp_get_thread_num()) * 7919);
  if (h % 4 == 0) std::this_thread::sleep_for(std::chrono::microseconds(h >> 40 & 0xff));
}

long tree(uint64_t seed, int depth) {
  long x = 0;
#pragma omp taskgroup task_reduction(+ : x)
  {
    for (int i = 0; i < 2; ++i) {
#pragma omp task in_reduction(+ : x) firstprivate(i)
      {
        x += 1;
        lag(seed + uint64_t(i));
        if (depth > 0) x += tree(seed * 31 + uint64_t(i), depth - 1);
      }
    }
  }
  return x;
}

// A region without a cancel: whatever the one before left behind must not show.
void right_region(uint64_t seed, int threads) {
  std::atomic<int> arrived{0};
  std::atomic<long> counted{0};
  long sum = 0, shared_sum = 0;
#pragma omp parallel num_threads(threads) reduction(task, + : sum)
  {
    int n = omp_get_num_threads();
    lag(seed);
    arrived.fetch_add(1);
#pragma omp barrier
    STRESS_CHECK(arrived.load(), n);
#pragma omp for schedule(dynamic, 2)
    for (int i = 0; i < 30; ++i) counted.fetch_add(1, std::memory_order_relaxed);
    STRESS_CHECK(counted.load(), 30);
    for (int i = 0; i < 5; ++i) {
#pragma omp task in_reduction(+ : sum) firstprivate(i)
      sum += i;
    }
#pragma omp for reduction(task, + : shared_sum)
    for (int i = 0; i < 8; ++i) {
#pragma omp task in_reduction(+ : shared_sum)
      shared_sum += i;
    }
    STRESS_CHECK(shared_sum, 28L);
  }
  STRESS_CHECK(sum, 10L * arrived.load());
  progress();
}

// Thread `who` cancels at step `when` of the sequence; the others come to the barriers, or not any more.
void cancelled_region(uint64_t seed, int threads) {
  int who = int(seed >> 40 & 255) % threads, when = int(seed >> 16 & 3), steps = 4;
  std::atomic<int> passed{0}, started{0}, ended{0}, arrived[4] = {};
#pragma omp parallel num_threads(threads)
  {
    int n = omp_get_num_threads();
    for (int step = 0; step < steps; ++step) {
      lag(seed + uint64_t(step) * 131);
      if (seed >> (20 + step) & 1) {
        for (int i = 0; i < 6; ++i) {
#pragma omp task shared(started, ended)
          {
            started.fetch_add(1);
#pragma omp task shared(started, ended)
            {
              started.fetch_add(1);
              ended.fetch_add(1);
            }
            ended.fetch_add(1);
          }
        }
      }
      if (step == when && omp_get_thread_num() == who % n) {
#pragma omp cancel parallel
      }
      arrived[step].fetch_add(1);
#pragma omp barrier
      if (step < when) STRESS_CHECK(arrived[step].load(), n);
      if (step >= when) passed.fetch_add(1);
    }
  }
  STRESS_CHECK(passed.load(), 0);
  STRESS_CHECK(started.load(), ended.load());
  progress();
}

void loops(uint64_t seed, int threads) {
  std::atomic<int> ran{0}, whole{0};
#pragma omp parallel num_threads(threads)
  for (int round = 0; round < 4; ++round) {
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 60; ++i) {
      ran.fetch_add(1, std::memory_order_relaxed);
      lag(seed + uint64_t(i));
#pragma omp cancel for if (i == 20)
#pragma omp cancellation point for
    }
#pragma omp for schedule(guided)
    for (int i = 0; i < 40; ++i) {
#pragma omp cancellation point for
      whole.fetch_add(1, std::memory_order_relaxed);
    }
  }
  STRESS_CHECK(whole.load(), 160);
  progress();
}

void groups(uint64_t seed, int threads) {
#pragma omp parallel num_threads(threads)
  {
    std::atomic<int> ran{0}, whole{0};
#pragma omp taskgroup
    for (int i = 0; i < 40; ++i) {
#pragma omp task shared(ran) firstprivate(i)
      {
        lag(seed + uint64_t(i));
#pragma omp taskgroup
        {
#pragma omp task shared(ran)
          ran.fetch_add(1);
        }
#pragma omp cancel taskgroup if (i == int(seed % 40))
        ran.fetch_add(1);
      }
    }
#pragma omp taskgroup
    for (int i = 0; i < 10; ++i) {
#pragma omp task shared(whole)
      {
#pragma omp cancellation point taskgroup
        whole.fetch_add(1);
      }
    }
    STRESS_CHECK(whole.load(), 10);
    int depth = int(seed >> 4 & 3);
    long nodes = (2L << (depth + 1)) - 2;
    STRESS_CHECK(tree(seed, depth), nodes);
  }
  progress();
}

void nested(uint64_t seed) {
#pragma omp parallel num_threads(2)
  {
    cancelled_region(seed + uint64_t(omp_get_thread_num()), 2);
    right_region(seed, 2);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (!omp_get_cancellation()) {
    setenv("OMP_CANCELLATION", "true", 1);
    execv("/proc/self/exe", argv);
    return 2;
  }
  Budget budget(argc, argv, "stress_cancel");
  omp_set_dynamic(0);
  omp_set_max_active_levels(2);
  uint64_t round = 0;
  for (; budget.left(); ++round) {
    uint64_t seed = mix(budget.seed * 1000003 + round);
    int threads = threads_of_round(round);
    cancelled_region(seed, threads);
    if (seed & 1) right_region(seed, threads);
    if (seed & 2) cancelled_region(seed >> 3, threads_of_round(round + 1));
    loops(seed, threads);
    groups(seed, threads);
    if (seed & 4) nested(seed);
    right_region(seed, threads_of_round(round + 3));
  }
  std::printf("%llu rounds\n", (unsigned long long)round);
}
