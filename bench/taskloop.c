/* taskloop grainsize(1): a task for each iteration of an empty loop. Wall time per iteration. */
#include "measure.h"

enum { kIterations = 100000 };

static double once(void) {
  double start = now_ns();
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(1)
  for (int i = 0; i < kIterations; i++) KEEP();
  return (now_ns() - start) / kIterations;
}

int main(void) { return measure(once, "ns/iteration"); }
