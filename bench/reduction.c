/* A parallel loop of 64 iterations with a sum over them: region, shares and reduction together. Wall time per loop. */
#include "measure.h"

enum { kLoops = 20000, kIterations = 64 };

static double once(void) {
  long sum = 0;
  double start = now_ns();
  for (int n = 0; n < kLoops; n++) {
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < kIterations; i++) sum += i;
  }
  double elapsed = now_ns() - start;
  if (sum != (long)kLoops * kIterations * (kIterations - 1) / 2) {
    fprintf(stderr, "the sum is %ld\n", sum);
    exit(1);
  }
  return elapsed / kLoops;
}

int main(void) { return measure(once, "ns/loop"); }
