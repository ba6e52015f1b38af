// One region with a long series of different worksharing constructs, with and without barriers: they keep apart.
#include "check.h"

int main(void) {
  int n = omp_get_max_threads();
  for (int round = 0; round < 20; ++round) {
    int a = 0, b = 0, c = 0, d = 0, e = 0, f = 0;
#pragma omp parallel
    {
      for (int i = 0; i < 20; ++i) {
#pragma omp for schedule(dynamic, 3) nowait
        for (int k = 0; k < 30; ++k) add_one(&a);
#pragma omp single
        add_one(&b);
#pragma omp for schedule(guided)
        for (long k = 30; k > 0; --k) add_one(&c);
#pragma omp sections
        {
          add_one(&d);
#pragma omp section
          add_one(&d);
#pragma omp section
          add_one(&d);
        }
        CHECK_EQUAL(value_of(&c), 30 * (i + 1));
        CHECK_EQUAL(value_of(&d), 3 * (i + 1));
#pragma omp barrier
#pragma omp for schedule(static, 1) nowait
        for (int k = 0; k < 7; ++k) add_one(&e);
#pragma omp master
        add_one(&f);
#pragma omp for schedule(runtime) nowait
        for (unsigned long long k = 0; k < 5; ++k) add_one(&e);
      }
    }
    CHECK_EQUAL(a, 600);
    CHECK_EQUAL(b, 20);
    CHECK_EQUAL(c, 600);
    CHECK_EQUAL(d, 60);
    CHECK_EQUAL(e, 240);
    CHECK_EQUAL(f, 20);
  }
  CHECK_EQUAL(omp_get_max_threads(), n);
  return check_end();
}
