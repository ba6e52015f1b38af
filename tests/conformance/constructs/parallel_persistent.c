// Thread n of one region is thread n of the next (same team size, no nesting in between): same OS thread, and
// threadprivate variables keep their values. OpenMP 5.1, 2.21.2.
#include <pthread.h>

#include "check.h"

static int counter;
#pragma omp threadprivate(counter)
static pthread_t who[64];

int main(void) {
  counter = 0;
  int n = omp_get_max_threads();
#pragma omp parallel
  {
    who[omp_get_thread_num()] = pthread_self();
    counter = 1000 * omp_get_thread_num();
  }
  for (int round = 0; round < 500; ++round) {
#pragma omp parallel
    {
      CHECK(pthread_equal(who[omp_get_thread_num()], pthread_self()));
      CHECK_EQUAL(counter, 1000 * omp_get_thread_num() + round);
      ++counter;
    }
    // Serial work, tasks and a serialised region in between change nothing.
    if (round % 50 == 0) nap_us(2000);
#pragma omp parallel if (0)
    CHECK_EQUAL(counter, round + 1);
  }
#pragma omp parallel
  CHECK_EQUAL(counter, 1000 * omp_get_thread_num() + 500);
  CHECK_EQUAL(omp_get_max_threads(), n);
  return check_end();
}
