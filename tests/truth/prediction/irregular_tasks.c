// A tree of tasks whose size and whose nodes' work are random.
#include <stdio.h>
#include "work.h"
static unsigned dice(unsigned seed) {
  seed = (seed ^ 61) ^ (seed >> 16);
  seed *= 9;
  seed ^= seed >> 4;
  seed *= 0x27d4eb2d;
  return seed ^ (seed >> 15);
}
static double grow(unsigned seed, int depth) {
  double sum = work(4000 + dice(seed) % 64 * (dice(seed + 1) % 64) * 20), parts[4] = {0};
  const unsigned children = depth == 0 ? 4 : depth < 9 ? dice(seed + 2) % 5 : 0;
  for (unsigned i = 0; i < children; ++i) {
#pragma omp task shared(parts)
    parts[i] = grow(dice(seed + 3 + i), depth + 1);
  }
#pragma omp taskwait
  for (unsigned i = 0; i < 4; ++i) sum += parts[i];
  return sum;
}
int main(void) {
  double sum = 0;
#pragma omp parallel
#pragma omp single
  sum = grow(7, 0);
  printf("%g\n", sum);
  return 0;
}
