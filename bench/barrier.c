/* Barriers back to back in one region. */
#include "measure.h"

enum { kBarriers = 50000 };

static double once(void) {
  double start = 0, elapsed = 0;
#pragma omp parallel
  {
#pragma omp barrier
#pragma omp master
    start = now_ns();
    for (int i = 0; i < kBarriers; i++) {
#pragma omp barrier
    }
#pragma omp master
    elapsed = now_ns() - start;
  }
  return elapsed / kBarriers;
}

int main(void) { return measure(once, "ns/barrier"); }
