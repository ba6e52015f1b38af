/* A region each that stays OpenMP, and why. */
#include <setjmp.h>
#include <stdio.h>

static int mine;
#pragma omp threadprivate(mine)

#define WITH_N printf("%d\n", n++)
#define LOOP _Pragma("omp parallel for") for (int i = 0; i < 3; i++) x[i] = i;

void left(int n, int *x, jmp_buf place) {
  struct own { int a; } own = {1};
  int rows[n];
  rows[0] = 0;
#pragma omp parallel for ordered
  for (int i = 0; i < n; i++) {
#pragma omp ordered
    x[i] = i;
  }
#pragma omp parallel copyin(mine)
  mine++;
#pragma omp parallel
  x[0] = own.a;
#pragma omp parallel
  rows[n - 1] = 1;
#pragma omp parallel
  WITH_N;
  LOOP
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
#pragma omp parallel for private(n) linear(x)
  for (int i = 0; i < 3; i++) n = i;
}
