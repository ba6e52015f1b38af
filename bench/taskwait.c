/* A task and the wait for it, one after the other from one thread, while the rest of the team looks for work: the cost
 * of handing over one task at a time. */
#include "measure.h"

enum { kTasks = 100000 };

static double once(void) {
  double start = 0, elapsed = 0;
#pragma omp parallel
#pragma omp single
  {
    start = now_ns();
    for (int i = 0; i < kTasks; i++) {
#pragma omp task
      KEEP();
#pragma omp taskwait
    }
    elapsed = now_ns() - start;
  }
  return elapsed / kTasks;
}

int main(void) { return measure(once, "ns/task"); }
