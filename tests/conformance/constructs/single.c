// single: one thread, any; the others wait at its end, or do not (nowait).
#include "check.h"

int main(void) {
  int n = omp_get_max_threads();
  int plain = 0, without_wait = 0, value = 0;
#pragma omp parallel
  {
    for (int i = 0; i < 500; ++i) {
#pragma omp single
      {
        add_one(&plain);
        value = i;
      }
      CHECK_EQUAL(value, i);
      CHECK_EQUAL(value_of(&plain), i + 1);
#pragma omp barrier
#pragma omp single nowait
      add_one(&without_wait);
    }
  }
  CHECK_EQUAL(plain, 500);
  CHECK_EQUAL(without_wait, 500);
  // nowait: while one is inside, the others come past it.
  int past = 0;
#pragma omp parallel
  {
#pragma omp single nowait
    CHECK(wait_until(&past, n - 1));
    add_one(&past);
  }
  CHECK_EQUAL(past, n);
  // private data of single.
  int inside = 0, first = 9;
#pragma omp parallel
  {
#pragma omp single firstprivate(first)
    {
      CHECK_EQUAL(first, 9);
      first = 10;
      add_one(&inside);
    }
  }
  CHECK_EQUAL(inside, 1);
  CHECK_EQUAL(first, 9);
  return check_end();
}
