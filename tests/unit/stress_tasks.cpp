// Random trees of tasks: taskwait, taskgroup, taskyield, untied, if(0), final, taskloop, and children that outlive their
// parents. Every node counts itself; a wait that returns early, a lost or a doubled task shows as a wrong count.
#include <omp.h>
#include "stress_watchdog.h"

using namespace stress;

namespace {

// The tree is a function of its seed: counting it without tasks gives what the tasks must arrive at.
struct Shape {
  int children, how;  // how the children are made and waited for
  bool long_work;
};
Shape shape(uint64_t seed, int depth) {
  uint64_t h = mix(seed);
  return {depth == 0 ? 0 : int(h % 4) + (depth > 5), int(h >> 8 & 7), (h >> 16 & 31) == 0};
}
uint64_t child_seed(uint64_t seed, int i) { return mix(seed + 0x1234567 * uint64_t(i + 1)); }

uint64_t count(uint64_t seed, int depth) {
  uint64_t sum = 1;
  Shape s = shape(seed, depth);
  for (int i = 0; i < s.children; ++i) sum += count(child_seed(seed, i), depth - 1);
  return sum;
}

std::atomic<uint64_t> g_seen{0};

// Nodes below and including this one, where the waits let that be known; every node also counts in g_seen.
void node(uint64_t seed, int depth, uint64_t* out);

void children(uint64_t seed, int depth, const Shape& s, uint64_t* sums) {
  for (int i = 0; i < s.children; ++i) {
    uint64_t below = child_seed(seed, i);
    uint64_t* sum = sums ? &sums[i] : nullptr;
    switch (below >> 40 & 7) {
      case 0:
#pragma omp task firstprivate(below, depth, sum) untied
        node(below, depth - 1, sum);
        break;
      case 1:
#pragma omp task firstprivate(below, depth, sum) if (0)
        node(below, depth - 1, sum);
        break;
      case 2:
#pragma omp task firstprivate(below, depth, sum) final(depth < 3) mergeable
        node(below, depth - 1, sum);
        break;
      default:
#pragma omp task firstprivate(below, depth, sum)
        node(below, depth - 1, sum);
        break;
    }
    if ((below >> 44 & 15) == 0) {
#pragma omp taskyield
    }
  }
}

void node(uint64_t seed, int depth, uint64_t* out) {
  Shape s = shape(seed, depth);
  progress();
  if (s.long_work) spin(20000);
  uint64_t sums[8] = {};
  if (s.how == 0 && !out) {
    children(seed, depth, s, nullptr);  // they may outlive this task
  } else if (s.how <= 2) {
#pragma omp taskgroup
    children(seed, depth, s, sums);
  } else {
    children(seed, depth, s, sums);
#pragma omp taskwait
  }
  uint64_t sum = 1;
  for (uint64_t v : sums) sum += v;
  if (out) {
    STRESS_CHECK(sum, count(seed, depth));
    *out = sum;
  }
  g_seen.fetch_add(1, std::memory_order_relaxed);
}

void one_producer(uint64_t seed, int threads, int depth) {
  g_seen = 0;
  uint64_t sum = 0;
#pragma omp parallel num_threads(threads)
#pragma omp single
  node(seed, depth, &sum);
  STRESS_CHECK(sum, count(seed, depth));
  STRESS_CHECK(g_seen.load(), count(seed, depth));
}

// Nobody waits for anybody but the barrier.
void rogues(uint64_t seed, int threads, int depth) {
  g_seen = 0;
#pragma omp parallel num_threads(threads)
  {
    node(seed + uint64_t(omp_get_thread_num()), depth, nullptr);
#pragma omp barrier
    uint64_t all = 0;
    for (int i = 0; i < omp_get_num_threads(); ++i) all += count(seed + uint64_t(i), depth);
    STRESS_CHECK(g_seen.load(), all);
#pragma omp barrier
    node(seed + 77, 1, nullptr);
  }
}

// A burst of small tasks from one thread, then a long silence: sleepers must have come for them.
void bursts(uint64_t seed, int threads) {
  std::atomic<int> done{0};
#pragma omp parallel num_threads(threads)
#pragma omp master
  for (int burst = 0; burst < 5; ++burst) {
    for (int i = 0; i < 300; ++i) {
#pragma omp task shared(done)
      done.fetch_add(1, std::memory_order_relaxed);
    }
    spin(mix(seed) % 100000);
    progress();
#pragma omp taskwait
  }
  STRESS_CHECK(done.load(), 1500);
}

void loops(uint64_t seed, int threads) {
  int n = 1 + int(seed % 500);
  std::atomic<int> hits{0};
#pragma omp parallel num_threads(threads)
#pragma omp single
  {
#pragma omp taskloop grainsize(3) shared(hits)
    for (int i = 0; i < n; ++i) hits.fetch_add(1, std::memory_order_relaxed);
    STRESS_CHECK(hits.load(), n);
#pragma omp taskloop num_tasks(7) nogroup shared(hits)
    for (int i = n; i > 0; --i) hits.fetch_add(1, std::memory_order_relaxed);
  }
  progress();
  STRESS_CHECK(hits.load(), 2 * n);
}

}  // namespace

int main(int argc, char** argv) {
  Budget budget(argc, argv, "stress_tasks");
  omp_set_dynamic(0);
  constexpr int kThreads[] = {2, 4, 1, 3, 16, 2, 7};
  uint64_t round = 0;
  for (; budget.left(); ++round) {
    uint64_t seed = mix(budget.seed * 1000003 + round);
    int threads = kThreads[round % 7];
    one_producer(seed, threads, 4 + int(seed % 4));
    rogues(seed, threads, 3 + int(seed % 3));
    bursts(seed, threads);
    loops(seed, threads);
  }
  std::printf("%llu rounds\n", (unsigned long long)round);
}
