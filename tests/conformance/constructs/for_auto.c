// schedule(auto): the runtime's or compiler's choice, but every iteration once.
#include "loop_check.h"

static Map map;

int main(void) {
  for (int iterations = 0; iterations < 3000; iterations = iterations * 2 + 1) {
    map_clear(&map);
#pragma omp parallel for schedule(auto)
    for (int i = 0; i < iterations; ++i) map_note(&map, i);
    CHECK_ONCE(&map, iterations);
    map_clear(&map);
#pragma omp parallel
    {
#pragma omp for schedule(auto) nowait
      for (unsigned long i = 0; i < (unsigned long)iterations; ++i) map_note(&map, (long long)i);
    }
    CHECK_ONCE(&map, iterations);
  }
  return check_end();
}
