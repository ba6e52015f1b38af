// Update: parts of an array each way, with a condition.
#include <stdio.h>
#define N 64
int main(void) {
  int a[N], sum = 0;
  for (int i = 0; i < N; ++i) a[i] = i;
#pragma omp target data map(tofrom : a)
  {
    for (int i = 0; i < N; ++i) {
      a[i] += 100;
#pragma omp target update to(a[i : 1]) if (i < N)
    }
#pragma omp target
    for (int i = 0; i < N; ++i) a[i] *= 2;
#pragma omp target update from(a[0 : N / 2])
    for (int i = 0; i < N / 2; ++i) sum += a[i];
  }
  for (int i = 0; i < N; ++i) sum += a[i];
  printf("%d\n", sum);
}
