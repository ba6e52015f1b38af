/* turns critical: each of many pieces is computed alone for some 10 us, then for 30 us under one lock; turns ordered: for
 * 5 us, then for 5 us in the iterations' order. Threads wait for each other longer than a lock's first looks, and shorter
 * than a sleep pays. Wall time per piece. */
#include <string.h>
#include "measure.h"

enum { kPieces = 1000 };

static int ordered;
static double sum;

/* A step waits for the one before, and takes a nanosecond or more. */
static double work(long steps) {
  double x = 1;
  for (long i = 0; i < steps; i++) x = x * 0.999999 + 1e-9;
  return x;
}

static double once(void) {
  double start = now_ns();
  if (ordered) {
#pragma omp parallel for schedule(dynamic, 1) ordered
    for (int i = 0; i < kPieces; i++) {
      double x = work(4000);
#pragma omp ordered
      sum += x + work(4000);
    }
  } else {
#pragma omp parallel for schedule(dynamic, 1)
    for (int i = 0; i < kPieces; i++) {
      double x = work(8000);
#pragma omp critical
      sum += x + work(24000);
    }
  }
  double elapsed = now_ns() - start;
  if (!(sum > 0)) {
    fprintf(stderr, "the pieces give %g\n", sum);
    exit(1);
  }
  return elapsed / kPieces;
}

int main(int argc, char **argv) {
  if (argc != 2 || (strcmp(argv[1], "critical") && strcmp(argv[1], "ordered"))) {
    fprintf(stderr, "usage: %s critical|ordered\n", argv[0]);
    return 2;
  }
  ordered = argv[1][0] == 'o';
  return measure(once, "ns/piece");
}
