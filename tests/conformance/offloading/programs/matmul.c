// Kernels: collapsed loops over arrays of variable length.
#include <stdio.h>
static void multiply(int n, double a[n][n], double b[n][n], double c[n][n]) {
#pragma omp target teams distribute parallel for collapse(2) map(to : a[0 : n][0 : n], b[0 : n][0 : n]) \
    map(from : c[0 : n][0 : n])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int k = 0; k < n; ++k) sum += a[i][k] * b[k][j];
      c[i][j] = sum;
    }
}
int main(void) {
  enum { n = 40 };
  double a[n][n], b[n][n], c[n][n], trace = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) a[i][j] = i + j, b[i][j] = i == j ? 2 : 0;
  multiply(n, a, b, c);
  for (int i = 0; i < n; ++i) trace += c[i][i] + c[i][n - 1 - i];
  printf("%.1f\n", trace);
}
