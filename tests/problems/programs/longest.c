/* Twenty tasks; one in the middle, reached last, takes as long as all others together. Fixed: it is divided. */
#include "seeded.h"

enum { kTasks = 20 };
static const long kShort = 2500000;
static double out[2 * kTasks];

int main(int argc, char **argv) {
  int fixed = is_fixed(argc, argv), length = fewer(argc, argv, kShort);
  double begin = omp_get_wtime(), sum = 0;
  #pragma omp parallel
  #pragma omp single
  {
    for (int i = 0; i < (fixed ? 2 : 1) * kTasks; ++i) {
      #pragma omp task firstprivate(i) /* PROBLEM */
      {
        int n = !fixed && i == kTasks / 2 ? kTasks + 1 : 1, first = !fixed && i > kTasks / 2 ? i + kTasks : i;
        for (int k = 0; k < n; ++k) out[first + k] = spin(length, first + k);
      }
    }
  }
  for (int i = 0; i < 2 * kTasks; ++i) sum += out[i];
  return done(begin, sum);
}
