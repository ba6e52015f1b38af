#include <omp.h>
#include <stdlib.h>

/* `--target complexes`: each codelet is a function, whatever loops and branches the barriers are in. */
long sums(int N, double a, double *x, double *y, int *again) {
  int id;
  long all = 0;
  #pragma omp parallel private(id) reduction(+ : all)
  {
    id = omp_get_thread_num();
    #pragma omp single nowait
    for (int i = 0; i < N; i++) x[i] = rand();
    while (*again > 0) {
      long mine = id; /* lives over one of two sync points */
      #pragma omp barrier
      if (N > 1) {
        #pragma omp for
        for (int i = 0; i < N; i++) y[i] += a * x[i] + id;
      }
      all += mine;
      #pragma omp single
      --*again;
    }
  }
  return all;
}

/* Tasks stay OpenMP's, and so does what waits for them. */
static long fib(int n) {
  if (n < 2) return n;
  long one, two;
  #pragma omp task shared(one)
  one = fib(n - 1);
  two = fib(n - 2);
  #pragma omp taskwait
  return one + two;
}

long tree(int n) {
  long result = 0;
  #pragma omp parallel
  #pragma omp single
  {
    #pragma omp task shared(result)
    result = fib(n);
  }
  return result;
}
