/* Tasks that all depend on one variable, so that one runs at a time. Fixed: each depends on its own. */
#include "seeded.h"

enum { kTasks = 400 };
static double out[kTasks];
static char key[kTasks];

int main(int argc, char **argv) {
  int fixed = is_fixed(argc, argv), tasks = fewer(argc, argv, kTasks);
  double begin = omp_get_wtime(), sum = 0;
  #pragma omp parallel
  #pragma omp single
  for (int i = 0; i < tasks; ++i) {
    #pragma omp task firstprivate(i) depend(inout : key[fixed ? i : 0]) /* PROBLEM */
    out[i] = spin(400000, i);
  }
  for (int i = 0; i < kTasks; ++i) sum += out[i];
  return done(begin, sum);
}
