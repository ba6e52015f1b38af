/* critical all: every thread of the team enters the same critical section again and again; critical one: one thread
 * * does, without contention. Wall time per entry, of all threads together. */
#include <omp.h>
#include <string.h>
#include "measure.h"

enum { kEntries = 200000 };

static int all;

static double once(void) {
  static long count;
  long threads = 1;
  count = 0;
  double start = now_ns();
#pragma omp parallel if (all)
  {
#pragma omp masked
    threads = omp_get_num_threads();
    for (int i = 0; i < kEntries; i++) {
#pragma omp critical
      count++;
    }
  }
  double elapsed = now_ns() - start;
  if (count != threads * kEntries) {
    fprintf(stderr, "%ld entries of %ld threads: the section did not keep them apart\n", count, threads);
    exit(1);
  }
  return elapsed / (double)count;
}

int main(int argc, char **argv) {
  if (argc != 2 || (strcmp(argv[1], "all") && strcmp(argv[1], "one"))) {
    fprintf(stderr, "usage: %s all|one\n", argv[0]);
    return 2;
  }
  all = argv[1][0] == 'a';
  return measure(once, "ns/entry");
}
