/* taskloop with one task per iteration of 0.2 us. Fixed: one per hundred. */
#include "seeded.h"

enum { kItems = 300000 };
static double out[kItems];

int main(int argc, char **argv) {
  int size = is_fixed(argc, argv) ? 100 : 1, items = fewer(argc, argv, kItems);
  double begin = omp_get_wtime(), sum = 0;
  #pragma omp parallel
  #pragma omp single
  #pragma omp taskloop grainsize(size) /* PROBLEM */
  for (int i = 0; i < items; ++i) out[i] = spin(100, i);
  double end = omp_get_wtime();
  for (int i = 0; i < kItems; ++i) sum += out[i];
  printf("%.6f %.10g\n", end - begin, sum);
  return 0;
}
