/* A loop whose team has one thread: its num_threads was meant for another machine. Fixed: as many as CPUs. */
#include "seeded.h"

enum { kIterations = 2000 };

int main(int argc, char **argv) {
  static double a[kIterations];
  int threads = is_fixed(argc, argv) ? omp_get_max_threads() : 1;
  double begin = omp_get_wtime(), sum = 0;
  for (int repeat = 0; repeat < fewer(argc, argv, 4); ++repeat) {
    #pragma omp parallel for schedule(static) num_threads(threads) /* PROBLEM */
    for (int i = 0; i < kIterations; ++i) a[i] = spin(10000, a[i] + i);
  }
  for (int i = 0; i < kIterations; ++i) sum += a[i];
  return done(begin, sum);
}
