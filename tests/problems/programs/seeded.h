/* Programs with a known problem. Without an argument, or with `problem`, they have it; with `fixed` they do not. A
   number after that divides their work by so much. The construct that a report must name is marked PROBLEM. Each prints
   the seconds of its parallel part and a checksum, the same for both. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_fixed(int argc, char **argv) { return argc > 1 && !strcmp(argv[1], "fixed"); }

/* How many of n repeats, tasks, ... to do. */
static long fewer(int argc, char **argv, long n) {
  const long less = argc > 2 ? atol(argv[2]) : 1;
  return less > 1 ? n / less > 0 ? n / less : 1 : n;
}

static int done(double begin, double sum) {
  printf("%.6f %.10g\n", omp_get_wtime() - begin, sum);
  return 0;
}

/* About n ns on a CPU of today, in registers. */
static __attribute__((noinline)) double spin(long n, double x) {
  for (long i = 0; i < n; ++i) x = x * 0.999999 + 1e-6;
  return x;
}
