#include <omp.h>
#include <stdlib.h>

/* The example of the paper: a single, a barrier, a loop. */
void daxpy(int N, double a, double *x, double *y) {
  int id;
  #pragma omp parallel private(id)
  {
    id = omp_get_thread_num();
    #pragma omp single nowait
    for (int i = 0; i < N; i++) x[i] = rand();
    #pragma omp barrier
    #pragma omp for
    for (int i = 0; i < N; i++) y[i] += a * x[i] + id; /* id lives over the barrier */
  }
}
