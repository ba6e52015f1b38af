/* What is in a taskgraph stays tasks and calls: with procedures it would not be replayed. A region stays OpenMP's in which
 * a task shares what a worksharing construct has its own of, as it may run at the end of that. */
static void wait(long *x, int n) {
#pragma omp task
  *x += n;
#pragma omp taskwait
}

long replayed(long *x, int n) {
#pragma omp parallel
#pragma omp single
  for (int step = 0; step < n; step++) {
#pragma omp taskgraph
    {
#pragma omp task
      wait(x, n);
#pragma omp task
      {
#pragma omp task
        wait(x, n);
      }
      wait(x + 1, n);
    }
#pragma omp task
    wait(x, n);
    wait(x + 1, n);
#pragma omp taskwait
  }
  return x[1];
}

long shared_at_the_end(long x) {
  long sum = 0;
#pragma omp parallel
#pragma omp single private(x)
  {
    x = 1;
#pragma omp task shared(x, sum)
    sum = x;
  }
  return sum;
}
