// Tasks and a loop; a word in the arguments makes either of them twice as fast.
#include <stdio.h>
#include <string.h>
#include "work.h"
int main(int argc, char** argv) {
  const long tasks = argc > 1 && strcmp(argv[1], "tasks") == 0 ? 2 : 1;
  const long loop = argc > 1 && strcmp(argv[1], "loop") == 0 ? 2 : 1;
  double sum = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 800; ++i) {
#pragma omp task /* tasks */
    {
      const double x = work((20000 + i % 10 * 4000) / tasks);
#pragma omp atomic
      sum += x;
    }
  }
#pragma omp parallel for schedule(dynamic, 4) reduction(+ : sum) /* loop */
  for (int i = 0; i < 1000; ++i) sum += work(i * 80L / loop);
  printf("%g\n", sum);
  return 0;
}
