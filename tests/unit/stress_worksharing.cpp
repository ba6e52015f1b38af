// Work-sharing in random order: loops of all schedules with and without nowait, ordered, sections, single with
// copyprivate, critical, locks, barriers. Threads are slowed at random, so that some run many constructs ahead of
// others and reach the end of the ring of shares.
#include <omp.h>
#include "stress_watchdog.h"

using namespace stress;

namespace {

struct Counts {
  std::atomic<uint64_t> iterations{0}, singles{0}, sections{0};
  uint64_t criticals = 0, locked = 0, nested = 0;  // protected by what their name says
  omp_lock_t lock;
  omp_nest_lock_t nest_lock;
};

int g_ordered_next;  // protected by ordered

void ordered_step(int i) {
  STRESS_CHECK(g_ordered_next, i);
  g_ordered_next = i + 1;
}

void lag(uint64_t seed) {
  uint64_t h = mix(seed + uint64_t(omp_get_thread_num()) * 7919);
  if (h % 8 == 0) spin(h >> 40 & 0x7fff);
}

// One construct, the same for all threads; returns what it adds to Counts::iterations over the whole team.
uint64_t construct(uint64_t h, Counts& c) {
  int n = int(h >> 8 & 63), chunk = 1 + int(h >> 16 & 7);
  int copied = 0;
  lag(h);
  switch (h % 16) {
    case 0:
    case 1:
    case 2:
#pragma omp for schedule(dynamic, chunk) nowait
      for (int i = 0; i < n; ++i) c.iterations.fetch_add(1, std::memory_order_relaxed);
      return uint64_t(n);
    case 3:
    case 4:
#pragma omp for schedule(guided) nowait
      for (int i = n; i > 0; --i) c.iterations.fetch_add(1, std::memory_order_relaxed);
      return uint64_t(n);
    case 5:
#pragma omp for schedule(dynamic, chunk)
      for (int i = 0; i < n; ++i) c.iterations.fetch_add(1, std::memory_order_relaxed);
      return uint64_t(n);
    case 6:
#pragma omp single
      g_ordered_next = 0;
#pragma omp for schedule(dynamic, chunk) ordered nowait
      for (int i = 0; i < n; ++i) {
        c.iterations.fetch_add(1, std::memory_order_relaxed);
#pragma omp ordered
        ordered_step(i);
      }
#pragma omp barrier
      return uint64_t(n);
    case 7:
#pragma omp single
      g_ordered_next = 0;
#pragma omp for schedule(static, chunk) ordered
      for (int i = 0; i < n; ++i) {
        lag(h + uint64_t(i));
#pragma omp ordered
        ordered_step(i);
        c.iterations.fetch_add(1, std::memory_order_relaxed);
      }
      return uint64_t(n);
    case 8:
#pragma omp sections nowait
    {
#pragma omp section
      c.sections.fetch_add(1, std::memory_order_relaxed);
#pragma omp section
      c.sections.fetch_add(1, std::memory_order_relaxed);
#pragma omp section
      c.sections.fetch_add(1, std::memory_order_relaxed);
    }
      return 0;
    case 9:
#pragma omp single copyprivate(copied)
      copied = int(h >> 20 & 0xffff);
      STRESS_CHECK(copied, int(h >> 20 & 0xffff));
      return 0;
    case 10:
    case 11:
#pragma omp single nowait
      c.singles.fetch_add(1, std::memory_order_relaxed);
      return 0;
    case 12:
#pragma omp critical
      ++c.criticals;
      return 0;
    case 13:
      omp_set_lock(&c.lock);
      ++c.locked;
      omp_unset_lock(&c.lock);
      return 0;
    case 14:
      omp_set_nest_lock(&c.nest_lock);
      omp_set_nest_lock(&c.nest_lock);
      ++c.nested;
      omp_unset_nest_lock(&c.nest_lock);
      omp_unset_nest_lock(&c.nest_lock);
      return 0;
    default: {
#pragma omp barrier
    }
      return 0;
  }
}

void region(uint64_t seed, int threads, int constructs) {
  Counts c;
  omp_init_lock(&c.lock);
  omp_init_nest_lock(&c.nest_lock);
  uint64_t expected = 0, singles = 0, sections = 0, criticals = 0, locked = 0, nested = 0, team = 0;
#pragma omp parallel num_threads(threads)
  {
#pragma omp master
    team = uint64_t(omp_get_num_threads());
    uint64_t sum = 0;
    for (int k = 0; k < constructs; ++k) sum += construct(mix(seed + uint64_t(k)), c);
    progress();
#pragma omp master
    expected = sum;
  }
  for (int k = 0; k < constructs; ++k) {
    uint64_t h = mix(seed + uint64_t(k)) % 16;
    if (h == 8) sections += 3;
    if (h == 10 || h == 11) ++singles;
    if (h == 12) criticals += team;
    if (h == 13) locked += team;
    if (h == 14) nested += team;
  }
  STRESS_CHECK(c.iterations.load(), expected);
  STRESS_CHECK(c.singles.load(), singles);
  STRESS_CHECK(c.sections.load(), sections);
  STRESS_CHECK(c.criticals, criticals);
  STRESS_CHECK(c.locked, locked);
  STRESS_CHECK(c.nested, nested);
  omp_destroy_lock(&c.lock);
  omp_destroy_nest_lock(&c.nest_lock);
}

// Combined constructs set share 0 up before the threads come.
void combined(uint64_t seed, int threads) {
  int n = int(seed % 200);
  uint64_t sum = 0;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 2) reduction(+ : sum)
  for (int i = 0; i < n; ++i) sum += uint64_t(i) + 1;
  STRESS_CHECK(sum, uint64_t(n) * uint64_t(n + 1) / 2);
#pragma omp parallel for num_threads(threads) schedule(runtime) reduction(- : sum)
  for (int i = 0; i < n; ++i) sum -= uint64_t(i) + 1;
  std::atomic<int> hits{0};
#pragma omp parallel sections num_threads(threads)
  {
#pragma omp section
    ++hits;
#pragma omp section
    ++hits;
  }
  STRESS_CHECK(hits.load(), 2);
}

}  // namespace

int main(int argc, char** argv) {
  Budget budget(argc, argv, "stress_worksharing");
  omp_set_dynamic(0);
  uint64_t round = 0;
  for (; budget.left(); ++round) {
    uint64_t seed = mix(budget.seed * 1000003 + round);
    region(seed, threads_of_round(round), 1 + int(seed % 90));
    combined(seed, threads_of_round(round));
  }
  std::printf("%llu rounds\n", (unsigned long long)round);
}
