/* a label, and a local that is declared behind a barrier: its codelets did not compile */
#include <stdio.h>

int main(void) {
  long all = 0;
#pragma omp parallel reduction(+ : all) num_threads(3)
  {
    int before = 4;
#pragma omp barrier
    int x = 0;
  again:;
#pragma omp barrier
    all += before + x;
    if (x++ < 2) goto again;
  }
  printf("%ld\n", all);
  return 0;
}
