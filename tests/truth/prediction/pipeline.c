// A pipeline: each item goes through four stages; each stage takes one item after the other.
#include <stdio.h>
#include "work.h"
enum { ITEMS = 900, STAGES = 4 };
int main(void) {
  static const long length[STAGES] = {9000, 20000, 14000, 5000};
  static double item[ITEMS], stage[STAGES];
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < ITEMS; ++i)
    for (int s = 0; s < STAGES; ++s) {
#pragma omp task depend(inout : item[i], stage[s])
      {
        item[i] += work(length[s]);
        stage[s] += item[i];
      }
    }
  double sum = 0;
  for (int s = 0; s < STAGES; ++s) sum += stage[s];
  printf("%g\n", sum);
  return 0;
}
