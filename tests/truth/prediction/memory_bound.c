// Sums of arrays that no cache holds: little computation for many reads and writes.
#include <stdio.h>
#include <stdlib.h>
enum { SIZE = 3000000, STEPS = 40 };
int main(void) {
  double* a = malloc(SIZE * sizeof(double));
  double* b = malloc(SIZE * sizeof(double));
  double* c = malloc(SIZE * sizeof(double));
  for (int i = 0; i < SIZE; ++i) a[i] = 0, b[i] = i, c[i] = 1;
  for (int step = 0; step < STEPS; ++step) {
#pragma omp parallel for schedule(static)
    for (int i = 0; i < SIZE; ++i) a[i] = b[i] + 0.5 * c[i];
#pragma omp parallel for schedule(static)
    for (int i = 0; i < SIZE; ++i) b[i] = a[i] + 0.25 * c[i];
  }
  printf("%g\n", a[SIZE / 2] + b[SIZE - 1]);
  return 0;
}
