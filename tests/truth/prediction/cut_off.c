// A tree of tasks with one branch deeper than the other. Down to the depth given as the first argument its nodes are
// tasks, below that calls. The second argument is the work of a leaf.
#include <stdio.h>
#include <stdlib.h>
#include "work.h"
enum { SIZE = 15 };
static int tasks_to;
static long leaf;
static double walk(int size, int depth) {
  if (size < 2) return work(leaf);
  double a, b;
  if (depth < tasks_to) {
#pragma omp task shared(a)
    a = walk(size - 1, depth + 1);
#pragma omp task shared(b)
    b = walk(size - 2, depth + 1);
#pragma omp taskwait
  } else {
    a = walk(size - 1, depth + 1), b = walk(size - 2, depth + 1);
  }
  return a + b;
}
int main(int argc, char** argv) {
  tasks_to = argc > 1 ? atoi(argv[1]) : SIZE;
  leaf = argc > 2 ? atol(argv[2]) : 60000;
  double sum = 0;
#pragma omp parallel
#pragma omp single
  sum = walk(SIZE, 0);
  printf("%g\n", sum);
  return 0;
}
