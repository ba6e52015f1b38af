/* A taskgroup around one empty task, again and again from one thread, while the rest of the team looks for work. */
#include "measure.h"

enum { kGroups = 100000 };

static double once(void) {
  double start = 0, elapsed = 0;
#pragma omp parallel
#pragma omp single
  {
    start = now_ns();
    for (int i = 0; i < kGroups; i++) {
#pragma omp taskgroup
      {
#pragma omp task
        KEEP();
      }
    }
    elapsed = now_ns() - start;
  }
  return elapsed / kGroups;
}

int main(void) { return measure(once, "ns/group"); }
