/* translated; num_threads(n) of a plain variable: the region stayed OpenMP ("its clause 'num_threads' changes a variable") */
#include <stdio.h>

static long count(int n) {
  long all = 0;
#pragma omp parallel num_threads(n) reduction(+ : all)
  {
    int mine[2];
    mine[0] = 3;
#pragma omp barrier
    all += mine[0];
  }
  return all;
}

int main(void) {
  printf("%ld %ld %ld\n", count(1), count(2), count(4));
  return 0;
}
