// Kernels within a data region: two arrays that change places.
#include <stdio.h>
#define N 200
int main(void) {
  double a[N] = {0}, b[N] = {0};
  a[0] = b[0] = 100;
#pragma omp target data map(tofrom : a) map(alloc : b)
  {
#pragma omp target
    b[0] = 100, b[N - 1] = 0;
    for (int step = 0; step < 50; ++step) {
#pragma omp target teams distribute parallel for
      for (int i = 1; i < N - 1; ++i) b[i] = (a[i - 1] + a[i + 1]) / 2;
#pragma omp target teams distribute parallel for
      for (int i = 1; i < N - 1; ++i) a[i] = b[i];
    }
  }
  printf("%.6f %.6f %.6f\n", a[1], a[5], a[10]);
}
