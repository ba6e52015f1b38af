/* schedule(dynamic, 1) over iterations of 0.1 us. Fixed: chunks of 500. */
#include "seeded.h"

enum { kIterations = 600000 };

int main(int argc, char **argv) {
  int chunk = is_fixed(argc, argv) ? 500 : 1, iterations = fewer(argc, argv, kIterations);
  double begin = omp_get_wtime(), sum = 0;
  #pragma omp parallel for schedule(dynamic, chunk) reduction(+ : sum) /* PROBLEM */
  for (int i = 0; i < iterations; ++i) sum += spin(80, i) > 0;
  return done(begin, sum);
}
