// schedule(dynamic[, c]): every iteration once; chunks of c iterations that start at multiples of c; and with the monotonic
// modifier a thread's chunks only go up.
#include "loop_check.h"

static Map map;

int main(void) {
  for (int chunk = 1; chunk <= 40; chunk = chunk * 2 + 1) {
    for (int iterations = 0; iterations < 300; iterations = iterations * 2 + 1) {
      map_clear(&map);
#pragma omp parallel for schedule(dynamic, chunk)
      for (int i = 0; i < iterations; ++i) map_note(&map, i);
      CHECK_ONCE(&map, iterations);
      for (int i = 1; i < iterations; ++i)
        if (i % chunk != 0) CHECK_EQUAL(map.by[i], map.by[i - 1]);

      map_clear(&map);
#pragma omp parallel
      {
        int previous = -1;
#pragma omp for schedule(monotonic : dynamic, chunk)
        for (int i = 0; i < iterations; ++i) {
          CHECK(i > previous);
          previous = i;
          map_note(&map, i);
        }
      }
      CHECK_ONCE(&map, iterations);
    }
  }
  map_clear(&map);
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < kMapSize; ++i) map_note(&map, i);
  CHECK_ONCE(&map, kMapSize);
  map_clear(&map);
#pragma omp parallel for schedule(nonmonotonic : dynamic, 3)
  for (int i = 0; i < 1000; ++i) map_note(&map, i);
  CHECK_ONCE(&map, 1000);
  return check_end();
}
