/* What the measurements share: a clock, a warm-up, repetitions, and the one line they print:
 *
 *   MINIMUM MEDIAN UNIT      e.g.  57.3 58.9 ns/task
 *
 * A measurement passes a function that runs once and returns nanoseconds per operation. The first call is discarded
 * (threads start, free lists fill, pages are touched); then it is repeated at least kRepetitions times and for
 * kSeconds. Not the mean: a disturbance only ever makes a measurement longer. With BENCH_ONCE in the environment it is
 * repeated only once, so that the number of operations is known: that of two calls. */
#ifndef EINKORN_BENCH_MEASURE_H
#define EINKORN_BENCH_MEASURE_H
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Keeps the compiler from removing or merging the code around it. */
#define KEEP() __asm__ volatile("" ::: "memory")

static inline double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static inline int compare_doubles(const void* a, const void* b) {
  double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static inline int measure(double (*once)(void), const char* unit) {
  enum { kRepetitions = 5, kMost = 1000 };
  const double kSeconds = 0.3;
  static double found[kMost];
  int count = 0, only_once = getenv("BENCH_ONCE") != NULL;
  once();
  for (double start = now_ns(); count < kMost;) {
    found[count++] = once();
    if (only_once || (count >= kRepetitions && now_ns() - start > kSeconds * 1e9)) break;
  }
  qsort(found, (size_t)count, sizeof *found, compare_doubles);
  double median = count % 2 ? found[count / 2] : (found[count / 2 - 1] + found[count / 2]) / 2;
  printf("%.2f %.2f %s\n", found[0], median, unit);
  return 0;
}

#endif
