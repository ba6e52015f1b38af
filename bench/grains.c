/* Grains of one length: COUNT tasks of CYCLES cycles each, made by one thread. For what recording adds to them. */
#include "measure.h"

/* A chain of additions, one a cycle: the same work in each run, whatever else the machine does. */
static void work(long cycles) {
  for (long i = 0; i < cycles; i++) KEEP();
}

int main(int count_arguments, char **arguments) {
  if (count_arguments != 3) return fputs("usage: grains CYCLES COUNT\n", stderr), 2;
  long cycles = atol(arguments[1]), count = atol(arguments[2]);
  double start = now_ns();
#pragma omp parallel
#pragma omp single
  for (long i = 0; i < count; i++) {
#pragma omp task
    work(cycles);
  }
  printf("%.2f ns/task\n", (now_ns() - start) / (double)count);
  return 0;
}
