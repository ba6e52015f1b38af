// Each of many pieces works alone for a while, then as long under one lock, then writes its result.
#include <stdio.h>
#include "work.h"
int main(void) {
  double sum = 0;
#pragma omp parallel for schedule(dynamic, 1)
  for (int i = 0; i < 4000; ++i) {
    double x = work(4000);
#pragma omp critical
    sum += x + work(8000);
  }
  printf("%g\n", sum);
  return 0;
}
