// schedule(static, c): chunk k goes to thread k mod n.
#include "loop_check.h"

static Map map;

int main(void) {
  int n = omp_get_max_threads();
  for (int chunk = 1; chunk <= 9; ++chunk) {
    for (int iterations = 0; iterations < 70; iterations += 7) {
      map_clear(&map);
#pragma omp parallel for schedule(static, chunk)
      for (int i = 0; i < iterations; ++i) map_note(&map, i);
      CHECK_ONCE(&map, iterations);
      for (int i = 0; i < iterations; ++i) CHECK_EQUAL(map.by[i], i / chunk % n);
    }
  }
  // lastprivate: known from the last chunk.
  int last = -1;
#pragma omp parallel for schedule(static, 4) lastprivate(last)
  for (int i = 0; i < 101; ++i) last = i;
  CHECK_EQUAL(last, 100);
  return check_end();
}
