// lastprivate(conditional): the value of the last iteration that assigned one, on loops of all kinds.
// clang 19 now and then takes an earlier iteration's value with five threads, under its own runtime too.
// compilers: gcc
#include "check.h"

#define LAST(clause)                                              \
  do {                                                            \
    x = -1;                                                       \
    _Pragma(clause) for (int i = 0; i < n; ++i) {                 \
      if (i % 7 == 3 && i < n - 9) x = i;                         \
      if (i % 50 == 0) nap_us(10);                                \
    }                                                             \
    if (expected >= 0) CHECK_EQUAL(x, expected);                  \
  } while (0)

int main(void) {
  for (int n = 0; n < 1000; n = n * 4 + 3) {
    int x, expected = -1;
    for (int i = 0; i < n - 9; ++i)
      if (i % 7 == 3) expected = i;
    LAST("omp parallel for lastprivate(conditional : x) schedule(static)");
    LAST("omp parallel for lastprivate(conditional : x) schedule(static, 3)");
    LAST("omp parallel for lastprivate(conditional : x) schedule(dynamic, 2)");
    LAST("omp parallel for lastprivate(conditional : x) schedule(guided)");
    LAST("omp parallel for lastprivate(conditional : x) schedule(runtime)");
    // Inside a region: no data of the region can hold what the threads share.
    for (int repeat = 0; repeat < 20; ++repeat) {
      x = -1;
#pragma omp parallel
      {
#pragma omp for lastprivate(conditional : x) schedule(dynamic, 3)
        for (int i = 0; i < n; ++i)
          if (i % 7 == 3 && i < n - 9) x = i;
      }
      if (expected >= 0) CHECK_EQUAL(x, expected);
      unsigned long long u;
      x = -1;
#pragma omp parallel for lastprivate(conditional : x) schedule(dynamic, 2)
      for (u = ~0ull - 20; u < ~0ull; u += 2)
        if (u % 4 == 3) x = (int)(~0ull - u);
      CHECK_EQUAL(x, 4);
    }
  }
  return check_end();
}
