// collapse: the loops become one, in their lexical order.
#include "loop_check.h"

static Map map;

int main(void) {
  map_clear(&map);
#pragma omp parallel for collapse(2) schedule(dynamic, 5)
  for (int i = 0; i < 13; ++i)
    for (int j = 0; j < 17; ++j) map_note(&map, i * 17 + j);
  CHECK_ONCE(&map, 13 * 17);
  map_clear(&map);
#pragma omp parallel for collapse(3) schedule(static, 7)
  for (long i = 4; i > 0; --i)
    for (unsigned j = 2; j < 12; j += 2)
      for (int k = -3; k <= 3; ++k) map_note(&map, (4 - i) * 35 + (long)(j - 2) / 2 * 7 + k + 3);
  CHECK_ONCE(&map, 140);
  for (int i = 0; i < 140; ++i) CHECK_EQUAL(map.by[i], i / 7 % omp_get_max_threads());
  map_clear(&map);
#pragma omp parallel for collapse(2) schedule(guided)
  for (unsigned long long i = 0; i < 10; ++i)
    for (signed char j = 0; j < 20; ++j) map_note(&map, (long long)i * 20 + j);
  CHECK_ONCE(&map, 200);
  // One of them empty: nothing at all.
  map_clear(&map);
#pragma omp parallel for collapse(2) schedule(dynamic)
  for (int i = 0; i < 100; ++i)
    for (int j = 5; j < 5; ++j) map_note(&map, 0);
  CHECK_ONCE(&map, 0);
  // Ordered and lastprivate follow the collapsed order.
  int expected = 0, last_i = -1, last_j = -1;
#pragma omp parallel for collapse(2) ordered schedule(dynamic) lastprivate(last_i, last_j)
  for (int i = 0; i < 9; ++i)
    for (int j = 0; j < 11; ++j) {
      last_i = i;
      last_j = j;
#pragma omp ordered
      {
        CHECK_EQUAL(i * 11 + j, expected);
        ++expected;
      }
    }
  CHECK_EQUAL(expected, 99);
  CHECK_EQUAL(last_i, 8);
  CHECK_EQUAL(last_j, 10);
  return check_end();
}
