/* There is as much work before the parallel loop as in it. Fixed: it is in a parallel loop, too. */
#include "seeded.h"

enum { kIterations = 6000 };
static double a[kIterations];

int main(int argc, char **argv) {
  long length = fewer(argc, argv, 10000);
  double begin = omp_get_wtime(), sum = 0;
  if (is_fixed(argc, argv)) {
    #pragma omp parallel for schedule(static)
    for (int i = 0; i < kIterations; ++i) a[i] = spin(length, i);
  } else {
    for (int i = 0; i < kIterations; ++i) a[i] = spin(length, i);
  }
  #pragma omp parallel for schedule(static) /* PROBLEM */
  for (int i = 0; i < kIterations; ++i) a[i] = spin(length, a[i]);
  for (int i = 0; i < kIterations; ++i) sum += a[i];
  return done(begin, sum);
}
