// lastprivate(conditional) on sections: the value of the last section that assigned one.
// clang 19 takes the last section's value whether that assigned one or not.
// compilers: gcc
#include "check.h"

int main(void) {
  for (int n = 0; n < 3; ++n) {
    for (int repeat = 0; repeat < 200; ++repeat) {
      int x = -1, y = -1;
#pragma omp parallel
      {
#pragma omp sections lastprivate(conditional : x)
        {
#pragma omp section
          x = 1;
#pragma omp section
          if (n > 0) x = 2;
#pragma omp section
          if (n > 1) x = 3;
        }
#pragma omp sections lastprivate(conditional : y) nowait
        {
#pragma omp section
          if (n > 1) y = 1;
#pragma omp section
          if (n > 0) y = 2;
        }
      }
      CHECK_EQUAL(x, n + 1);
      CHECK_EQUAL(y, n > 0 ? 2 : -1);
    }
  }
  return check_end();
}
