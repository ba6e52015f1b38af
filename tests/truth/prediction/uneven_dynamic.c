// A dynamic loop whose iterations take longer and longer.
#include <stdio.h>
#include "work.h"
int main(void) {
  double sum = 0;
#pragma omp parallel for schedule(dynamic, 4) reduction(+ : sum)
  for (int i = 0; i < 1000; ++i) sum += work(i * 80L);
  printf("%g\n", sum);
  return 0;
}
