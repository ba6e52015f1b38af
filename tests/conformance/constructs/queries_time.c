// omp_get_wtime and omp_get_wtick: seconds that go forward, at the pace of the clock.
#include <math.h>
#include <time.h>

#include "check.h"

static double clock_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(void) {
  double tick = omp_get_wtick();
  CHECK(tick > 0 && tick <= 1e-3);
  double c0 = clock_seconds(), t0 = omp_get_wtime();
  nap_us(50000);
  double t1 = omp_get_wtime(), c1 = clock_seconds();
  CHECK(t1 - t0 >= 0.0499);
  CHECK(fabs((t1 - t0) - (c1 - c0)) < 0.001 || t1 - t0 <= c1 - c0);
#pragma omp parallel
  {
    double before = omp_get_wtime();
    for (int i = 0; i < 1000; ++i) {
      double now = omp_get_wtime();
      CHECK(now >= before);
      before = now;
    }
    CHECK(before >= t1 && before < t1 + 60);
  }
  return check_end();
}
