// Large blocks that one thread fills, each thread fills its part of, and that hints place: recorded.py reads where the recording says
// that they lie, and what it makes of it.
// compilers: gcc
// run plain: OMP_PLACES=cores OMP_PROC_BIND=spread OMP_NUM_THREADS=8 LD_PRELOAD=/einkorn/libeinkorn-allocations.so EINKORN_RECORD=/out/blocks.grain EINKORN_RECORD_ALLOCATIONS=true
// run unasked: OMP_PLACES=cores OMP_PROC_BIND=spread OMP_NUM_THREADS=8 EINKORN_RECORD=/out/blocks.grain
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
enum { kCount = 5 << 15 };  /* 1.3 MB */
static double table[kCount];
double nobody_writes[kCount];

int main(void) {
  prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0); /* blocks side by side would share huge pages */
  double sum = 0;
  double *one = malloc(kCount * sizeof *one);    // one
  double *each = malloc(kCount * sizeof *each);  // each
  for (int i = 0; i < kCount; ++i) one[i] = table[i] = 1;
#pragma omp parallel for schedule(static)
  for (int i = 0; i < kCount; ++i) each[i] = 1;
  for (int k = 0; k < 3; ++k) {
    double *again = malloc(kCount * sizeof *again);  // again
    for (int i = 0; i < kCount; ++i) again[i] = 1;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (int i = 0; i < kCount; ++i) sum += one[i] + each[i] + again[i] + table[i] - 1;
    free(again);
  }
  free(each);
  printf("%g\n", sum);
  return sum == 9.0 * kCount ? 0 : 1;  /* `one` lives until the end */
}
