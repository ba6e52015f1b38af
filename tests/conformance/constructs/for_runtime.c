// schedule(runtime): the schedule is what omp_set_schedule said last, for the loops to come.
#include "loop_check.h"

static Map map;

static void loop(int iterations) {
  map_clear(&map);
#pragma omp parallel
  {
#pragma omp for schedule(runtime)
    for (int i = 0; i < iterations; ++i) map_note(&map, i);
  }
  CHECK_ONCE(&map, iterations);
}

int main(void) {
  int n = omp_get_max_threads();
  static const omp_sched_t kinds[] = {omp_sched_static, omp_sched_dynamic, omp_sched_guided, omp_sched_auto};
  for (int k = 0; k < 4; ++k) {
    for (int chunk = 0; chunk < 12; chunk += 3) {
      omp_set_schedule(kinds[k], chunk);
      for (int iterations = 0; iterations < 200; iterations = iterations * 2 + 1) {
        loop(iterations);
        if (kinds[k] == omp_sched_static && chunk > 0)
          for (int i = 0; i < iterations; ++i) CHECK_EQUAL(map.by[i], i / chunk % n);
      }
      map_clear(&map);
#pragma omp parallel for schedule(runtime)
      for (int i = 0; i < 1000; ++i) map_note(&map, i);
      CHECK_ONCE(&map, 1000);
      map_clear(&map);
#pragma omp parallel for schedule(nonmonotonic : runtime)
      for (unsigned long long i = 0; i < 1000; ++i) map_note(&map, (long long)i);
      CHECK_ONCE(&map, 1000);
    }
  }
  // Static without a chunk size: blocks.
  omp_set_schedule(omp_sched_static, 0);
  loop(1000);
  for (int i = 1; i < 1000; ++i) CHECK(map.by[i] >= map.by[i - 1]);
  return check_end();
}
