// Kernels: teams, parallel loops, and both at once.
#include <stdio.h>
#include <stdlib.h>
#define N 10000
static float x[N], y[N];
int main(void) {
  for (int i = 0; i < N; ++i) x[i] = i, y[i] = 1;
#pragma omp target teams distribute parallel for map(to : x) map(tofrom : y)
  for (int i = 0; i < N; ++i) y[i] += 2 * x[i];
#pragma omp target parallel for map(to : x) map(tofrom : y)
  for (int i = 0; i < N; ++i) y[i] += x[i];
#pragma omp target teams distribute map(to : x) map(tofrom : y) num_teams(4)
  for (int i = 0; i < N; ++i) y[i] -= x[i];
  double sum = 0;
  for (int i = 0; i < N; ++i) sum += y[i];
  printf("%.0f\n", sum);
}
