/* Tasks that stay OpenMP's, each for another reason; their functions are procedures as far as they can be. */
#include <omp.h>
#include <stddef.h>

extern int ask(int);
static long counter;
#pragma omp threadprivate(counter)

static void wait(long *x, int n) {
#pragma omp task
  x[n] = n;
#pragma omp taskwait
}
static void tied(long *x, int n) {
  const int here = omp_get_thread_num();
#pragma omp task
  x[n] = n;
#pragma omp taskwait
  x[here] = n;
}
static void counted(long *x, int n) {
  counter = n;
#pragma omp taskwait
  x[n] = counter;
}
static void halves(long *x, int n) {
  if (n < 8) {
    for (int i = 0; i < n; i++) x[i] = n;
    return;
  }
#pragma omp task
  halves(x, n / 2);
  halves(x + n / 2, n - n / 2);
#pragma omp taskwait
}
static void plain(long *x, int n) { x[n] = n; }
static int value(long *x, int n) {
  wait(x, n);
  return n;
}
static void lasting(long *x, int n) {
  static int calls;
  calls++;
#pragma omp taskwait
  x[n] = calls;
}

void left(long *x, int n) {
  long wide = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    wait(x, n);
#pragma omp task priority(2)
    wait(x, n);
#pragma omp task depend(out : x[0])
    wait(x, n);
#pragma omp task
    tied(x, n);
#pragma omp task
    counted(x, n);
#pragma omp task
    halves(x, n);
#pragma omp task
    plain(x, n);
#pragma omp task
    lasting(x, n);
#pragma omp task
    wait(x, ask(n));
#pragma omp task shared(wide)
    wide = value(x, n);
#pragma omp task
    value(x, n);
#pragma omp task
    {
      long all[64] = {n};
      wait(all, n % 64);
      x[n] += all[0];
    }
  }
}
