// Serial work, and guided loops.
#include <stdio.h>
#include "work.h"
int main(void) {
  double sum = work(8000000);
  for (int step = 0; step < 10; ++step) {
#pragma omp parallel for schedule(guided) reduction(+ : sum)
    for (int i = 0; i < 400; ++i) sum += work(8000);
    sum += work(400000);
  }
  printf("%g\n", sum);
  return 0;
}
