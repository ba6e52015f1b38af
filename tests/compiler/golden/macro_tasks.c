/* Tasks that a macro makes, more than one in a line, in a region that a macro makes: procedures, with names of their own. */
#define PRAGMA(text) _Pragma(#text)
#define BY_ONE PRAGMA(omp parallel) PRAGMA(omp single)
#define BOTH(x, y, first, second)                         \
  PRAGMA(omp task shared(x)) { x = first; wait(&x, 1); }  \
  PRAGMA(omp task shared(y)) { y = second; wait(&y, 2); } \
  PRAGMA(omp taskwait)

static void wait(long *x, int n) {
#pragma omp task
  *x += n;
#pragma omp taskwait
}

long macro_tasks(long n) {
  long a = n, b = n;
  BY_ONE {
    BOTH(a, b, n + 1, n + 2)
    wait(&a, 3);
  }
  return a * b;
}
