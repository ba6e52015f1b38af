// OpenMP 6.0's taskgraph: the tasks are those of the first time, with the data of now.
// regions: 1 of 1
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
  return 0;
}
