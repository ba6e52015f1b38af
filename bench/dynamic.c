/* A loop with schedule(dynamic,1) and an empty body: getting a chunk. Wall time per chunk, of all threads together. */
#include "measure.h"

enum { kChunks = 500000 };

static double once(void) {
  double start = now_ns();
#pragma omp parallel for schedule(dynamic, 1)
  for (int i = 0; i < kChunks; i++) KEEP();
  return (now_ns() - start) / kChunks;
}

int main(void) { return measure(once, "ns/chunk"); }
