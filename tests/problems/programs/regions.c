/* The inner of two loops is parallel, and has two microseconds of work. Fixed: the outer one is. */
#include "seeded.h"

enum { kRows = 30000, kColumns = 4 };
static double a[kRows][kColumns];

int main(int argc, char **argv) {
  int rows = fewer(argc, argv, kRows);
  double begin = omp_get_wtime(), sum = 0;
  if (is_fixed(argc, argv)) {
    #pragma omp parallel for schedule(static)
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < kColumns; ++j) a[i][j] = spin(500, i + j);
  } else {
    for (int i = 0; i < rows; ++i) {
      #pragma omp parallel for schedule(static) /* PROBLEM */
      for (int j = 0; j < kColumns; ++j) a[i][j] = spin(500, i + j);
    }
  }
  for (int i = 0; i < kRows; ++i)
    for (int j = 0; j < kColumns; ++j) sum += a[i][j];
  return done(begin, sum);
}
