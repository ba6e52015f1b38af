/* Empty parallel regions, back to back: fork and join. */
#include "measure.h"

enum { kRegions = 20000 };

static double once(void) {
  double start = now_ns();
  for (int i = 0; i < kRegions; i++) {
#pragma omp parallel
    KEEP();
  }
  return (now_ns() - start) / kRegions;
}

int main(void) { return measure(once, "ns/region"); }
