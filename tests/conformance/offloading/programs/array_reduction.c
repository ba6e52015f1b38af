// Reduction over an array.
#include <stdio.h>
int main(void) {
  int counts[8] = {0};
#pragma omp target parallel for map(tofrom : counts) reduction(+ : counts)
  for (int i = 0; i < 800; ++i) counts[i * i % 8] += 1;
  for (int i = 0; i < 8; ++i) printf("%d ", counts[i]);
  printf("\n");
}
