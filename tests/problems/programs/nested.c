/* Regions inside a region, each of a third of a microsecond, which get one thread each. Fixed: only the outer one. */
#include "seeded.h"

enum { kRows = 300000, kColumns = 2 };
static double a[kRows][kColumns];

int main(int argc, char **argv) {
  int fixed = is_fixed(argc, argv), rows = fewer(argc, argv, kRows);
  double begin = omp_get_wtime(), sum = 0;
  #pragma omp parallel for schedule(static)
  for (int i = 0; i < rows; ++i) {
    if (fixed) {
      for (int j = 0; j < kColumns; ++j) a[i][j] = spin(150, i + j);
    } else {
      #pragma omp parallel for schedule(static) /* PROBLEM */
      for (int j = 0; j < kColumns; ++j) a[i][j] = spin(150, i + j);
    }
  }
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < kColumns; ++j) sum += a[i][j];
  return done(begin, sum);
}
