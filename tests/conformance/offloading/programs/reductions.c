// Reductions: sums, products, extremes, bits.
#include <stdio.h>
#define N 1000
int main(void) {
  int a[N], sum = 0, least = 1 << 30, most = 0, bits = 0;
  double product = 1;
  for (int i = 0; i < N; ++i) a[i] = (i * 7919) % 1009;
#pragma omp target teams distribute parallel for map(to : a) map(tofrom : sum, least, most, bits) \
    reduction(+ : sum) reduction(min : least) reduction(max : most) reduction(| : bits)
  for (int i = 0; i < N; ++i) {
    sum += a[i];
    if (a[i] < least) least = a[i];
    if (a[i] > most) most = a[i];
    bits |= a[i];
  }
#pragma omp target parallel for map(tofrom : product) reduction(* : product)
  for (int i = 1; i < 10; ++i) product *= i;
  printf("%d %d %d %d %.0f\n", sum, least, most, bits, product);
}
