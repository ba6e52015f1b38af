// OpenMP 6.0's taskgraph: the tasks are those of the first time, with the data of now.
// regions: 2 of 2
#include "check.h"

enum { kBlocks = 16 };
static double a[kBlocks], b[kBlocks];
static int made, runs;

static void sweep(double *from, double *to) {
  for (int i = 0; i < kBlocks; i++) {
    made++;
#pragma omp task depend(in : from[i]) depend(inout : to[i]) firstprivate(from, to, i)
    to[i] += from[i];
  }
}

/* Not in a region that is translated. */
static void alone(int id) {
#pragma omp taskgraph graph_id(id) if (taskgraph : id >= 0)
  {
    made++;
#pragma omp task
#pragma omp atomic
    runs++;
  }
}

static long fib(int n) {
  if (n < 2) return n;
  long x, y;
#pragma omp task shared(x)
  x = fib(n - 1);
#pragma omp task shared(y)
  y = fib(n - 2);
#pragma omp taskwait
  return x + y;
}

static void add_to(long *sum, int n) {
  long part;
#pragma omp task shared(part)
  part = fib(n);
#pragma omp taskwait
#pragma omp atomic
  *sum += part;
}

/* What is in it stays tasks, whatever they call; what is beside it may be an invocation. */
static long in_graph[5], beside;
static void replayed(void) {
#pragma omp parallel
#pragma omp single
  for (int step = 0; step < 4; step++) {
#pragma omp taskgraph
    {
      for (int k = 0; k < 4; k++) {
#pragma omp task firstprivate(k)
        in_graph[k] += fib(k + 2);
      }
#pragma omp task
      add_to(&in_graph[4], 4);
    }
#pragma omp task
    add_to(&beside, 5);
#pragma omp taskwait
  }
  CHECK(in_graph[0] == 4 && in_graph[3] == 4 * 5 && in_graph[4] == 4 * 3 && beside == 4 * 5);
}

int main(void) {
  for (int i = 0; i < kBlocks; i++) a[i] = 1;
#pragma omp parallel
#pragma omp single
  for (int step = 0; step < 6; step++) {
#pragma omp taskgraph graph_id(step % 2) \
    graph_reset(step == 4)  // another form for each parity
    {
      if (step % 2) sweep(b, a);
      else sweep(a, b);
    }
  }
  CHECK(a[3] == 21 - 8 && b[3] == 8);
  const int first = made;
  CHECK(first >= 3 * kBlocks && first <= 6 * kBlocks);
  for (int i = 0; i < 5; i++) alone(i % 2 - (i == 4));
  CHECK(runs == 5);
  replayed();
  return 0;
}
