/* a local array that memset has filled before a barrier, counted in behind it, was lost */
#include <stdio.h>
#include <string.h>

int main(void) {
  long total = 0;
#pragma omp parallel
  {
    {
      unsigned p[4];
      memset(p, 0, sizeof p);
#pragma omp barrier
#pragma omp for schedule(static, 3)
      for (int a = 0; a < 12; a++) p[a * 2 % 4]++;
#pragma omp critical
      for (int k = 0; k < 4; k++) total += p[k] * (unsigned)(k + 1);
    }
  }
  printf("%ld\n", total);
  return 0;
}
