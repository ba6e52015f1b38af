// schedule(static) without a chunk size: every thread at most one block, blocks in the order of the threads, their sizes
// differing by at most one chunk as the specification says: at most ceil(iterations / threads).
#include "loop_check.h"

static Map map;

int main(void) {
  int n = omp_get_max_threads();
  for (int iterations = 0; iterations <= 3 * n + 2; ++iterations) {
    map_clear(&map);
#pragma omp parallel
    {
#pragma omp for schedule(static)
      for (int i = 0; i < iterations; ++i) map_note(&map, i);
    }
    CHECK_ONCE(&map, iterations);
    int block = 0;
    for (int i = 0; i < iterations; ++i) {
      if (i > 0) CHECK(map.by[i] >= map.by[i - 1]);
      block = i > 0 && map.by[i] == map.by[i - 1] ? block + 1 : 1;
      CHECK(block <= (iterations + n - 1) / n);
    }
  }
  // The same number of iterations and threads: the same assignment, so that nowait loops may depend on it.
  static Map second;
  map_clear(&map);
  map_clear(&second);
#pragma omp parallel
  {
#pragma omp for schedule(static) nowait
    for (int i = 0; i < 1001; ++i) map_note(&map, i);
#pragma omp for schedule(static) nowait
    for (int i = 0; i < 1001; ++i) {
      CHECK_EQUAL(map.by[i], omp_get_thread_num());
      map_note(&second, i);
    }
  }
  CHECK_ONCE(&second, 1001);
  // The default schedule, in the combined construct.
  map_clear(&map);
#pragma omp parallel for
  for (int i = 0; i < 1000; ++i) map_note(&map, i);
  CHECK_ONCE(&map, 1000);
  return check_end();
}
