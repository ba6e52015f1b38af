// A static loop whose iterations are short, each with a short critical section.
#include <stdio.h>
#include "work.h"
int main(void) {
  double sum = 0;
#pragma omp parallel for schedule(static)
  for (int i = 0; i < 40000; ++i) {
    double x = work(1000);
#pragma omp critical
    sum += x + work(200);
  }
  printf("%g\n", sum);
  return 0;
}
