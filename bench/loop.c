/* Work-sharing loops of 100 empty iterations in one region: loop static|guided. With static no thread waits for another
 * (nowait): the division is measured. With guided the barrier is included. Wall time per loop. */
#include <string.h>
#include "measure.h"

enum { kLoops = 10000, kIterations = 100 };

static int guided;

static double once(void) {
  double start = 0, elapsed = 0;
#pragma omp parallel
  {
#pragma omp barrier
#pragma omp masked
    start = now_ns();
    for (int n = 0; n < kLoops; n++) {
      if (guided) {
#pragma omp for schedule(guided)
        for (int i = 0; i < kIterations; i++) KEEP();
      } else {
#pragma omp for schedule(static) nowait
        for (int i = 0; i < kIterations; i++) KEEP();
      }
    }
#pragma omp barrier
#pragma omp masked
    elapsed = now_ns() - start;
  }
  return elapsed / kLoops;
}

int main(int argc, char **argv) {
  if (argc != 2 || (strcmp(argv[1], "static") && strcmp(argv[1], "guided"))) {
    fprintf(stderr, "usage: %s static|guided\n", argv[0]);
    return 2;
  }
  guided = argv[1][0] == 'g';
  return measure(once, "ns/loop");
}
