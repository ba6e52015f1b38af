// Data: sections of one array, mapped and kept apart.
#include <stdio.h>
#define N 100
int main(void) {
  int a[N];
  for (int i = 0; i < N; ++i) a[i] = i;
#pragma omp target enter data map(to : a[10 : 20])
#pragma omp target enter data map(to : a[60 : 10])
#pragma omp target map(a[10 : 20])
  for (int i = 10; i < 30; ++i) a[i] *= 2;
#pragma omp target map(a[60 : 10])
  for (int i = 60; i < 70; ++i) a[i] *= 3;
#pragma omp target exit data map(from : a[10 : 20])
#pragma omp target exit data map(from : a[60 : 10])
  int sum = 0;
  for (int i = 0; i < N; ++i) sum += a[i];
  printf("%d\n", sum);
}
