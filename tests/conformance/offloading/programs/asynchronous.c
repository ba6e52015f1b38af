// enter data, update and exit data with nowait, in order by depend.
#include <stdio.h>
#define N 300
int main(void) {
  int a[N], sum = 0;
  for (int i = 0; i < N; ++i) a[i] = i;
#pragma omp target enter data map(to : a) nowait depend(out : a)
#pragma omp target teams distribute parallel for nowait depend(inout : a)
  for (int i = 0; i < N; ++i) a[i] += 1;
#pragma omp target update from(a) nowait depend(inout : a)
#pragma omp task shared(a, sum) depend(inout : a)
  for (int i = 0; i < N; ++i) sum += a[i], a[i] = 0;
#pragma omp target update to(a) nowait depend(inout : a)
#pragma omp target exit data map(from : a) nowait depend(inout : a)
#pragma omp taskwait
  printf("%d %d\n", sum, a[7]);
}
