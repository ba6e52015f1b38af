/* Rows of a triangle, the longest first, under schedule(guided), whose first chunk is half of them. Fixed: chunks of 20. */
#include "seeded.h"

enum { kRows = 3000 };

int main(int argc, char **argv) {
  static double a[kRows];
  double begin = omp_get_wtime(), sum = 0;
  for (int repeat = 0; repeat < fewer(argc, argv, 4); ++repeat) {
    if (is_fixed(argc, argv)) {
      #pragma omp parallel for schedule(dynamic, 20)
      for (int i = 0; i < kRows; ++i) a[i] = spin(6L * (kRows - i), a[i] + i);
    } else {
      #pragma omp parallel for schedule(guided) /* PROBLEM */
      for (int i = 0; i < kRows; ++i) a[i] = spin(6L * (kRows - i), a[i] + i);
    }
  }
  for (int i = 0; i < kRows; ++i) sum += a[i];
  return done(begin, sum);
}
