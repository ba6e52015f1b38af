// Teams: sizes that change from region to region, regions within regions three deep, and foreign threads (std::thread)
// that run regions at the same time, end, and leave what they owned to the next.
#include <omp.h>
#include <vector>
#include "stress_watchdog.h"

using namespace stress;

namespace {

// Tasks and a barrier, checked, in a team of any size at any depth.
void work(uint64_t seed, std::atomic<uint64_t>& tasks) {
  uint64_t h = mix(seed);
  for (uint64_t i = 0; i < h % 5; ++i) {
#pragma omp task shared(tasks)
    {
      spin(100);
      tasks.fetch_add(1, std::memory_order_relaxed);
    }
  }
  if (h & 32) {
#pragma omp taskwait
  }
  if (h & 64) spin(h >> 20 & 0xfff);
}

void sizes(uint64_t seed, int regions) {
  Random random{seed};
  for (int r = 0; r < regions; ++r) {
    int threads = 1 + int(random.below(random.below(8) == 0 ? uint64_t(many_threads()) : 4));
    uint64_t salt = random.next() & ~uint64_t(127);
    std::atomic<uint64_t> tasks{0}, arrived{0};
    bool barrier = salt >> 60 & 1;
#pragma omp parallel num_threads(threads)
    {
      work(salt, tasks);
      arrived.fetch_add(1, std::memory_order_relaxed);
      if (barrier) {
#pragma omp barrier
        STRESS_CHECK(arrived.load(), uint64_t(omp_get_num_threads()));
        STRESS_CHECK(tasks.load(), uint64_t(omp_get_num_threads()) * (mix(salt) % 5));
      }
    }
    STRESS_CHECK(arrived.load(), uint64_t(threads));
    STRESS_CHECK(tasks.load(), uint64_t(threads) * (mix(salt) % 5));
    progress();
  }
}

void nest(uint64_t seed, int level, std::atomic<uint64_t>& leaves) {
  if (level == 3) {
    leaves.fetch_add(1, std::memory_order_relaxed);
    progress();
    return;
  }
  uint64_t h = mix(seed + uint64_t(level));
  int threads = 1 + int(h % 3);
  std::atomic<uint64_t> mine{0};
  int outer = omp_get_thread_num();
#pragma omp parallel num_threads(threads)
  {
    STRESS_CHECK(omp_get_level(), level + 1);
    STRESS_CHECK(omp_get_ancestor_thread_num(level), outer);
    STRESS_CHECK(omp_get_num_threads(), threads);
    nest(seed, level + 1, mine);
    // Also from within a task of this team.
    if (level == 1 && (h >> 10 & 3) == 0) {
#pragma omp single nowait
      {
#pragma omp task shared(mine)
        nest(seed, 3, mine);
      }
    }
  }
  leaves.fetch_add(mine.load(), std::memory_order_relaxed);
}

uint64_t leaves_expected(uint64_t seed, int level) {
  if (level == 3) return 1;
  uint64_t h = mix(seed + uint64_t(level));
  uint64_t sum = (1 + h % 3) * leaves_expected(seed, level + 1);
  return sum + (level == 1 && (h >> 10 & 3) == 0);
}

void nested(uint64_t seed) {
  std::atomic<uint64_t> leaves{0};
  nest(seed, 0, leaves);
  STRESS_CHECK(leaves.load(), leaves_expected(seed, 0));
}

void foreign(uint64_t seed) {
  std::vector<std::thread> threads;
  int count = 1 + int(mix(seed) % 4);
  for (int i = 0; i < count; ++i)
    threads.emplace_back([=] {
      uint64_t own = mix(seed + 31 * uint64_t(i));
      omp_set_dynamic(0);
      omp_set_max_active_levels(3);
      sizes(own, 1 + int(own % 4));
      if (own >> 20 & 1) nested(own);
      // Ends right behind a region, whose threads may still be on their way out.
      std::atomic<int> hits{0};
#pragma omp parallel num_threads(3)
      hits.fetch_add(1, std::memory_order_relaxed);
      STRESS_CHECK(hits.load(), 3);
    });
  sizes(seed + 5, 3);
  for (auto& t : threads) t.join();
}

}  // namespace

int main(int argc, char** argv) {
  Budget budget(argc, argv, "stress_teams");
  omp_set_dynamic(0);
  omp_set_max_active_levels(3);
  uint64_t round = 0;
  for (; budget.left(); ++round) {
    uint64_t seed = mix(budget.seed * 1000003 + round);
    sizes(seed, 20);
    nested(seed);
    foreign(seed);
  }
  std::printf("%llu rounds\n", (unsigned long long)round);
}
