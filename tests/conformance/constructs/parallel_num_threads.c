// parallel num_threads(n): a team of exactly n, numbered 0 .. n-1, the encountering thread being 0.
#include <pthread.h>

#include "check.h"

int main(void) {
  for (int round = 0; round < 20; ++round) {
    for (int n = 1; n <= 9; ++n) {
      int seen[16] = {0};
      pthread_t primary = pthread_self();
#pragma omp parallel num_threads(n)
      {
        CHECK_EQUAL(omp_get_num_threads(), n);
        int me = omp_get_thread_num();
        CHECK(me >= 0 && me < n);
        add_one(&seen[me]);
        CHECK_EQUAL(pthread_equal(pthread_self(), primary) != 0, me == 0);
      }
      for (int i = 0; i < 16; ++i) CHECK_EQUAL(seen[i], i < n ? 1 : 0);
    }
  }
  // The clause is for this region only.
  int before = omp_get_max_threads();
#pragma omp parallel num_threads(before + 3)
  CHECK_EQUAL(omp_get_num_threads(), before + 3);
#pragma omp parallel
  CHECK_EQUAL(omp_get_num_threads(), before);
  CHECK_EQUAL(omp_get_max_threads(), before);
  return check_end();
}
