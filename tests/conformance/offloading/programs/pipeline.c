// nowait with depend: three stages over six buffers, and host tasks between them.
#include <stdio.h>
#define BLOCKS 6
#define N 500
int main(void) {
  static int a[BLOCKS][N], sums[BLOCKS];
  for (int round = 0; round < 5; ++round)
    for (int b = 0; b < BLOCKS; ++b) {
      int *p = a[b], *s = sums + b;
#pragma omp task depend(inout : p[0]) firstprivate(p, b)
      for (int i = 0; i < N; ++i) p[i] += b;
#pragma omp target nowait map(tofrom : p[0 : N]) depend(inout : p[0])
      for (int i = 0; i < N; ++i) p[i] *= 2;
#pragma omp target nowait map(to : p[0 : N]) map(tofrom : s[0 : 1]) depend(in : p[0]) depend(inout : s[0])
      for (int i = 0; i < N; ++i) s[0] += p[i] % 7;
    }
#pragma omp taskwait
  for (int b = 0; b < BLOCKS; ++b) printf("%d ", sums[b]);
  printf("\n");
}
