// Atomic updates and critical sections in kernels.
#include <stdio.h>
int main(void) {
  int count = 0, bins[4] = {0};
#pragma omp target teams distribute parallel for map(tofrom : count, bins)
  for (int i = 0; i < 1000; ++i) {
#pragma omp atomic
    ++count;
#pragma omp atomic
    bins[i % 4] += i;
  }
  printf("%d %d %d %d %d\n", count, bins[0], bins[1], bins[2], bins[3]);
}
