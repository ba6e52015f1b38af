/* In the region one thread prepares data that all then use. Fixed: all prepare it. */
#include "seeded.h"

enum { kIterations = 600, kSteps = 20 };
static double a[kIterations];

int main(int argc, char **argv) {
  int fixed = is_fixed(argc, argv), steps = fewer(argc, argv, kSteps);
  double begin = omp_get_wtime(), sum = 0;
  #pragma omp parallel /* PROBLEM */
  for (int step = 0; step < steps; ++step) {
    if (fixed) {
      #pragma omp for schedule(static)
      for (int i = 0; i < kIterations; ++i) a[i] += spin(5000, i);
    } else {
      #pragma omp single /* SINGLE */
      for (int i = 0; i < kIterations; ++i) a[i] += spin(5000, i);
    }
    #pragma omp for schedule(static)
    for (int i = 0; i < kIterations; ++i) a[i] = spin(5000, a[i]);
  }
  for (int i = 0; i < kIterations; ++i) sum += a[i];
  return done(begin, sum);
}
