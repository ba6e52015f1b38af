/* Tasks that are not deferred, if(0), while the rest of the team waits: the price of a task construct that a program
 * turned off. Wall time per task. */
#include "measure.h"

enum { kTasks = 500000 };

static double once(void) {
  double start = 0, elapsed = 0;
#pragma omp parallel
#pragma omp single
  {
    start = now_ns();
    for (int i = 0; i < kTasks; i++) {
#pragma omp task if (0)
      KEEP();
    }
    elapsed = now_ns() - start;
  }
  return elapsed / kTasks;
}

int main(void) { return measure(once, "ns/task"); }
