/* After 359.botsspar's bmod: a matrix product whose inner loop goes down columns. Fixed: the two inner loops change places. */
#include "seeded.h"

enum { kN = 1024, kM = 96, kRows = 3 };
static double a[kN][kN], b[kN][kN], c[kN][kN];

static void down(int first) {
  for (int i = first; i < first + kRows; ++i)
    for (int j = 0; j < kN; ++j)
      for (int k = 0; k < kN; ++k) c[i][j] += a[i][k] * b[k][j]; /* PROBLEM */
}

static void along(int first) {
  for (int i = first; i < first + kRows; ++i)
    for (int k = 0; k < kN; ++k)
      for (int j = 0; j < kN; ++j) c[i][j] += a[i][k] * b[k][j];
}

int main(int argc, char **argv) {
  int fixed = is_fixed(argc, argv), rows = fewer(argc, argv, kM);
  for (int i = 0; i < kN; ++i)
    for (int j = 0; j < kN; ++j) a[i][j] = i + j, b[i][j] = i - j;
  double begin = omp_get_wtime(), sum = 0;
  #pragma omp parallel
  #pragma omp single
  for (int i = 0; i < rows; i += kRows) {
    #pragma omp task firstprivate(i) /* TASK */
    fixed ? along(i) : down(i);
  }
  for (int i = 0; i < kM; ++i) sum += c[i][i];
  return done(begin, sum);
}
