// master and masked: thread 0, or the thread that filter names, and nobody waits.
#include "check.h"

int main(void) {
  int n = omp_get_max_threads();
  int masters = 0, masked = 0, filtered = 0, nobody = 0;
#pragma omp parallel
  {
    for (int i = 0; i < 50; ++i) {
#pragma omp master
      {
        CHECK_EQUAL(omp_get_thread_num(), 0);
        add_one(&masters);
      }
#pragma omp masked
      {
        CHECK_EQUAL(omp_get_thread_num(), 0);
        add_one(&masked);
      }
#pragma omp masked filter(i % n)
      {
        CHECK_EQUAL(omp_get_thread_num(), i % n);
        add_one(&filtered);
      }
#pragma omp masked filter(n + 1)
      add_one(&nobody);
    }
  }
  CHECK_EQUAL(masters, 50);
  CHECK_EQUAL(masked, 50);
  CHECK_EQUAL(filtered, 50);
  CHECK_EQUAL(nobody, 0);
  // No barrier: thread 0 waits inside for all the others, who go on.
  int others = 0;
#pragma omp parallel
  {
#pragma omp master
    CHECK(wait_until(&others, n - 1));
    if (omp_get_thread_num() != 0) add_one(&others);
  }
  CHECK_EQUAL(others, n - 1);
  return check_end();
}
