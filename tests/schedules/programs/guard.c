/* 64 tasks of a millisecond that nobody says anything of, made on node 0 by one thread: how many have left it? Prints the number. */
#include <stdio.h>
#include <time.h>

#include <ompx_locality.h>

int main(void) {
  int left = 0;
#pragma omp parallel
#pragma omp single
  {
    int home = ompx_get_domain_num();
    for (int i = 0; i < 64; i++)
#pragma omp task shared(left)
    {
      struct timespec ms = {0, 1000000};
      nanosleep(&ms, NULL);
      if (ompx_get_domain_num() != home) {
#pragma omp atomic
        left++;
      }
    }
  }
  printf("%d\n", left);
  return 0;
}
