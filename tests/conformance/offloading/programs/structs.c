// Data: members of a struct, and what a pointer in it points to.
#include <stdio.h>
#include <stdlib.h>
struct vector {
  int n;
  double *values;
};
int main(void) {
  struct vector v = {50, malloc(50 * sizeof(double))};
  for (int i = 0; i < v.n; ++i) v.values[i] = i;
#pragma omp target enter data map(to : v) map(to : v.values[0 : v.n])
#pragma omp target map(to : v)
  for (int i = 0; i < v.n; ++i) v.values[i] += 0.5;
#pragma omp target exit data map(from : v.values[0 : v.n])
  double sum = 0;
  for (int i = 0; i < v.n; ++i) sum += v.values[i];
  printf("%.1f\n", sum);
}
