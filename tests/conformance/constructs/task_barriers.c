// Barriers of every kind wait for the tasks made before them: explicit, of loops, sections, single, and of the region.
#include "check.h"

static void make(int *counter, int tasks) {
  for (int i = 0; i < tasks; ++i) {
#pragma omp task firstprivate(counter, i)
    {
      if (i % 8 == 0) nap_us(20);
#pragma omp task firstprivate(counter)
      add_one(counter);
      add_one(counter);
    }
  }
}

int main(void) {
  int n = omp_get_max_threads();
  for (int round = 0; round < 30; ++round) {
    int a = 0, b = 0, c = 0, d = 0, e = 0;
#pragma omp parallel
    {
      make(&a, 10);
#pragma omp barrier
      CHECK_EQUAL(value_of(&a), 20 * n);
#pragma omp for schedule(dynamic)
      for (int i = 0; i < 8; ++i) make(&b, 3);
      CHECK_EQUAL(value_of(&b), 48);
#pragma omp single
      make(&c, 16);
      CHECK_EQUAL(value_of(&c), 32);
#pragma omp sections
      {
        make(&d, 4);
#pragma omp section
        make(&d, 4);
      }
      CHECK_EQUAL(value_of(&d), 16);
#pragma omp for schedule(static) nowait
      for (int i = 0; i < 8; ++i) make(&e, 2);
#pragma omp master
      make(&e, 5);
    }
    CHECK_EQUAL(e, 32 + 10);
  }
  return check_end();
}
