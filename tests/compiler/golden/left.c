/* A region each that stays OpenMP, and why. */
#include <setjmp.h>
#include <stdio.h>

static int most[2];

void left(int n, int *x, jmp_buf place) {
  struct own { int a; } own = {1};
  int rows[n];
  rows[0] = 0;
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
#pragma omp cancel for
    x[i] = i;
  }
#pragma omp parallel for collapse(3) lastprivate(n)
  for (int i = 0; i < 2; i++)
    for (int j = 0; j <= i; j++)
      for (int k = 0; k < 2; k++) n = i * j;
#pragma omp parallel
  x[0] = own.a;
#pragma omp parallel private(rows)
  {
    rows[n - 1] = n;
#pragma omp barrier
    x[0] = rows[n - 1];
  }
#pragma omp parallel
  if (setjmp(place)) n = 1;
#pragma omp parallel
  {
    static int calls;
    calls++;
  }
#pragma omp parallel
  {
    int v[n];
    v[0] = n;
#pragma omp barrier
    x[0] = v[0];
  }
#pragma omp parallel for reduction(max : most)
  for (int i = 0; i < 3; i++) most[0] = i;
#if defined(__clang__)
#pragma omp parallel
#endif
  x[0] = n;
}
