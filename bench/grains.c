/* Grains of one length: COUNT tasks of NANOSECONDS each, created by one thread, to measure what recording adds to them.
 * Their length is taken by the clock: work of a fixed number of cycles varies more than that from run to run. */
#include "measure.h"

static void work(double ns) {
  for (double end = now_ns() + ns; now_ns() < end;) KEEP();
}

int main(int count_arguments, char **arguments) {
  if (count_arguments != 3) return fputs("usage: grains NANOSECONDS COUNT\n", stderr), 2;
  double ns = atof(arguments[1]);
  long count = atol(arguments[2]);
  double start = now_ns();
#pragma omp parallel
#pragma omp single
  for (long i = 0; i < count; i++) {
#pragma omp task
    work(ns);
  }
  printf("%.2f ns/task\n", (now_ns() - start) / (double)count);
  return 0;
}
