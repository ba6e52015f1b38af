/* single, with its barrier, back to back in one region. */
#include "measure.h"

enum { kSingles = 50000 };

static double once(void) {
  double start = 0, elapsed = 0;
#pragma omp parallel
  {
#pragma omp barrier
#pragma omp masked
    start = now_ns();
    for (int i = 0; i < kSingles; i++) {
#pragma omp single
      KEEP();
    }
#pragma omp masked
    elapsed = now_ns() - start;
  }
  return elapsed / kSingles;
}

int main(void) { return measure(once, "ns/single"); }
