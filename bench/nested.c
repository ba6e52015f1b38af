/* Two threads, each of which runs regions of two threads, one after the other: teams that are not the outermost. Wall
 * time per inner region of one of them; both run at the same time. */
#include <omp.h>
#include "measure.h"

enum { kRegions = 500 };

static double once(void) {
  double start = now_ns();
#pragma omp parallel num_threads(2)
  for (int i = 0; i < kRegions; i++) {
#pragma omp parallel num_threads(2)
    KEEP();
  }
  return (now_ns() - start) / kRegions;
}

int main(void) {
  omp_set_max_active_levels(2);
  return measure(once, "ns/region");
}
