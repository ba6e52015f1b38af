/* A parallel loop of 50 us after a millisecond of serial code: how long the loop takes. Its threads have been idle long
 * enough to fall asleep. */
#include "measure.h"

enum { kTimes = 50 };

static void last_for(double ns) {
  double end = now_ns() + ns;
  while (now_ns() < end) KEEP();
}

static double once(void) {
  double spent = 0;
  for (int i = 0; i < kTimes; i++) {
    last_for(1e6);
    double start = now_ns();
#pragma omp parallel
    last_for(5e4);
    spent += now_ns() - start;
  }
  return spent / kTimes;
}

int main(void) { return measure(once, "ns/loop"); }
