/* One producer of many empty tasks; the team runs them, the region's end waits for all. Wall time per task. */
#include "measure.h"

enum { kTasks = 200000 };

static double once(void) {
  double start = now_ns();
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < kTasks; i++) {
#pragma omp task
    KEEP();
  }
  return (now_ns() - start) / kTasks;
}

int main(void) { return measure(once, "ns/task"); }
