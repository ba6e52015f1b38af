/* 64 tasks of a millisecond that nobody says anything of, made on node 0 by one thread: how many have left it? Prints the number.
 * argv[1]: those that run at home take until so many have left it, a minute at most; however busy the machine is, others come. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <ompx_locality.h>

int main(int count, char** words) {
  if (count != 2) return 2;
  const int surely = atoi(words[1]);
  const double late = omp_get_wtime() + 60;
  int left = 0;
#pragma omp parallel
#pragma omp single
  {
    int home = ompx_get_domain_num();
    for (int i = 0; i < 64; i++)
#pragma omp task shared(left)
    {
      struct timespec ms = {0, 1000000};
      int seen = 0;
      if (ompx_get_domain_num() != home) {
#pragma omp atomic
        left++;
      }
      do {
        nanosleep(&ms, NULL);
#pragma omp atomic read
        seen = left;
      } while (ompx_get_domain_num() == home && seen < surely && omp_get_wtime() < late);
    }
  }
  printf("%d\n", left);
  return 0;
}
