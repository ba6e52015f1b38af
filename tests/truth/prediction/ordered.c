// Each of many pieces works for a while, then reports its result in the order of the loop.
#include <stdio.h>
#include "work.h"
int main(void) {
  double sum = 0;
#pragma omp parallel for ordered schedule(dynamic, 1)
  for (int i = 0; i < 2500; ++i) {
    double x = work(6000 + i % 7 * 3000);
#pragma omp ordered
    sum += x + work(5000);
  }
  printf("%g\n", sum);
  return 0;
}
