/* A taskwait after each pair of tasks, one of which takes four times as long. Fixed: one taskwait after all of them. */
#include "seeded.h"

enum { kPairs = 60 };
static double out[2 * kPairs];

int main(int argc, char **argv) {
  int fixed = is_fixed(argc, argv), pairs = fewer(argc, argv, kPairs);
  double begin = omp_get_wtime(), sum = 0;
  #pragma omp parallel
  #pragma omp single
  for (int i = 0; i < pairs; ++i) {
    for (int k = 0; k < 2; ++k) {
      #pragma omp task firstprivate(i, k) /* PROBLEM */
      out[2 * i + k] = spin(k ? 2000000 : 500000, i);
    }
    if (!fixed) {
      #pragma omp taskwait
    }
  }
  for (int i = 0; i < 2 * kPairs; ++i) sum += out[i];
  return done(begin, sum);
}
