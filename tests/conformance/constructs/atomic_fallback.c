// atomic on types without an instruction: gcc calls GOMP_atomic_start and _end around them, clang libatomic.
// flags clang: -latomic
#include <complex.h>

#include "check.h"

int main(void) {
  int n = omp_get_max_threads();
  long double sum = 0, other = 1;
#ifdef __clang__
  _Complex double z = 0;
  _Complex float w = 0;
#endif
#pragma omp parallel
  {
    for (int i = 0; i < 1000; ++i) {
#pragma omp atomic
      sum += 1.5L;
#ifdef __clang__  // gcc 12 refuses complex numbers
#pragma omp atomic
      z += 1.0 + 2.0 * I;
#pragma omp atomic
      w -= 1.0f;
#endif
      long double seen;
#pragma omp atomic capture
      seen = other += 1;
      CHECK(seen > 1 && seen <= 1 + 1000.0L * n);
#pragma omp atomic read
      seen = sum;
      CHECK(seen >= 1.5L);
    }
  }
  CHECK(sum == 1500.0L * n);
  CHECK(other == 1 + 1000.0L * n);
#ifdef __clang__
  CHECK(creal(z) == 1000.0 * n && cimag(z) == 2000.0 * n);
  CHECK(crealf(w) == -1000.0f * (float)n);
#endif
  return check_end();
}
