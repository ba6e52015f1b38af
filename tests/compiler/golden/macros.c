/* What macros make, or name, is replaced by what it stands for, where a region needs it: others stay. */
#include <stdio.h>

#define LOOP(text) _Pragma(text) for (int i = 0; i < n; i++)
#define WITH_N printf("%d\n", n++)
#define STEP 3

void macros(int n, int *x) {
  LOOP("omp parallel for schedule(static)") x[i] += STEP;
#pragma omp parallel
  {
#pragma omp single
    WITH_N;
  }
}
