// Loops that go down, over negative values, with every comparison, and steps known at run time only. (gcc 12 negates a
// step that is narrower than the loop variable as an unsigned number of its own width: hence the casts.)
#include "loop_check.h"

static Map map;

int main(void) {
  for (int step = 1; step <= 7; step += 2) {
    for (int first = -50; first <= 150; first += 40) {
      const int count = (first - (-60) + step - 1) / step;  // values above -60
      map_clear(&map);
#pragma omp parallel for schedule(dynamic, 3)
      for (int i = first; i > -60; i -= step) map_note(&map, (first - i) / step);
      CHECK_ONCE(&map, count);
      map_clear(&map);
#pragma omp parallel for schedule(guided)
      for (long i = first; i >= -59; i -= (long)step) map_note(&map, (first - i) / step);
      CHECK_ONCE(&map, count);
      map_clear(&map);
#pragma omp parallel for schedule(static)
      for (short i = (short)first; i > -60; i -= step) map_note(&map, (first - i) / step);
      CHECK_ONCE(&map, count);
      map_clear(&map);
#pragma omp parallel for schedule(static, 2)
      for (long long i = first; i >= -59; i -= (long long)step) map_note(&map, (first - i) / step);
      CHECK_ONCE(&map, count);
      map_clear(&map);
#pragma omp parallel for schedule(runtime)
      for (int i = first; i > -60; i -= step) map_note(&map, (first - i) / step);
      CHECK_ONCE(&map, count);
    }
  }
  map_clear(&map);
#pragma omp parallel for schedule(dynamic)
  for (int i = 10; i != -90; --i) map_note(&map, 10 - i);
  CHECK_ONCE(&map, 100);
  map_clear(&map);
#pragma omp parallel for schedule(dynamic, 8)
  for (unsigned long long i = 1000; i >= 3; i -= 3) map_note(&map, (long long)(1000 - i) / 3);
  CHECK_ONCE(&map, 333);
  return check_end();
}
