/* A loop of equal iterations in chunks so large that there are only three. */
#include "seeded.h"

enum { kIterations = 3000 };

int main(int argc, char **argv) {
  static double a[kIterations];
  int chunk = is_fixed(argc, argv) ? 20 : kIterations / 3;
  double begin = omp_get_wtime(), sum = 0;
  for (int repeat = 0; repeat < fewer(argc, argv, 4); ++repeat) {
    #pragma omp parallel for schedule(dynamic, chunk) /* PROBLEM */
    for (int i = 0; i < kIterations; ++i) a[i] = spin(10000, a[i] + i);
  }
  for (int i = 0; i < kIterations; ++i) sum += a[i];
  return done(begin, sum);
}
