// schedule(guided[, c]): every iteration once; no chunk but the last is smaller than c. A chunk is seen as a run of
// iterations of one thread, which may be more than one chunk: so a run is never shorter than c.
#include "loop_check.h"

static Map map;

int main(void) {
  for (int chunk = 1; chunk <= 40; chunk = chunk * 2 + 1) {
    for (int iterations = 0; iterations < 3000; iterations = iterations * 3 + 1) {
      map_clear(&map);
#pragma omp parallel for schedule(guided, chunk)
      for (int i = 0; i < iterations; ++i) map_note(&map, i);
      CHECK_ONCE(&map, iterations);
      int run = 1;
      for (int i = 1; i < iterations; ++i) {
        if (map.by[i] == map.by[i - 1]) {
          ++run;
        } else {
          CHECK(run >= chunk);
          run = 1;
        }
      }
    }
  }
  map_clear(&map);
#pragma omp parallel
  {
    int previous = -1;
#pragma omp for schedule(monotonic : guided)
    for (int i = 0; i < kMapSize; ++i) {
      CHECK(i > previous);
      previous = i;
      map_note(&map, i);
    }
  }
  CHECK_ONCE(&map, kMapSize);
  return check_end();
}
