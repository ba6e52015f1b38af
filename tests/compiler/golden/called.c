/* What is called by a name of libc's, or by libc: whether it may wait, or asks for its thread. */
#include <math.h>
#include <stdlib.h>

extern int *level;
float randf(void); /* the program's own, in another file, for all its name says */
static int by_value(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static int waits(const void *a, const void *b) {
  while (__atomic_load_n(&level[*(const int *)a], __ATOMIC_RELAXED) == 0) {}
  return by_value(a, b);
}
static int looks(const void *a, const void *b) { return __atomic_load_n(&level[0], __ATOMIC_RELAXED) ? by_value(a, b) : 0; }
static void sorted(int *x, int n, int (*compare)(const void *, const void *)) { qsort(x, n, sizeof *x, compare); }
__attribute__((weak)) int either(int n) { return n; }

void by_name(float *x) {
#pragma omp parallel
  x[0] = sinf(x[1]) + hypotf(x[2], x[3]);
#pragma omp parallel
  x[0] = randf();
#pragma omp parallel
  x[0] = either(1);
}

void by_libc(int *x, int n, int (*unknown)(const void *, const void *)) {
#pragma omp parallel
  qsort(x, n, sizeof *x, by_value);
#pragma omp parallel
  bsearch(x, x, n, sizeof *x, (int (*)(const void *, const void *))&by_value);
#pragma omp parallel
  qsort(x, n, sizeof *x, waits);
#pragma omp parallel
  qsort(x, n, sizeof *x, looks);
#pragma omp parallel
  qsort(x, n, sizeof *x, unknown);
#pragma omp parallel
  sorted(x, n, by_value);
}

/* Procedures may go on on another thread than where they gave way. */
static int calls;
#pragma omp threadprivate(calls)
static int asks(const void *a, const void *b) {
  calls = *(const int *)a;
  return by_value(a, b);
}
static void free_of_it(int *x, int n) {
#pragma omp task
  x[0] = n;
#pragma omp taskwait
  qsort(x, n, sizeof *x, by_value);
}
static void bound_by_it(int *x, int n) {
#pragma omp task
  x[0] = n;
#pragma omp taskwait
  qsort(x, n, sizeof *x, asks);
}
/* Another file may have another one, that is called then. */
__attribute__((weak)) void replaced(int *x, int n) {
#pragma omp task
  x[0] = n;
#pragma omp taskwait
}
void procedures(int *x, int n) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    free_of_it(x, n);
#pragma omp task
    bound_by_it(x, n);
#pragma omp task
    replaced(x, n);
  }
}
