/* One thread creates a task for each item of 0.2 us, and the other one steals them. Fixed: one task per fifty items. */
#include "seeded.h"

enum { kItems = 4000, kSteps = 60 };
static double out[kItems];

int main(int argc, char **argv) {
  int each = is_fixed(argc, argv) ? 50 : 1, steps = fewer(argc, argv, kSteps);
  double begin = omp_get_wtime(), sum = 0;
  for (int step = 0; step < steps; ++step) {
    #pragma omp parallel
    #pragma omp single
    for (int i = 0; i < kItems; i += each) {
      #pragma omp task firstprivate(i) /* PROBLEM */
      for (int k = i; k < i + each; ++k) out[k] = spin(120, out[k] + k);
    }
  }
  for (int i = 0; i < kItems; ++i) sum += out[i];
  return done(begin, sum);
}
