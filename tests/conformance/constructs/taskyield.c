// taskyield: may run other tasks, must not lose any, and comes back.
#include "check.h"

int main(void) {
  int done = 0;
#pragma omp parallel
  {
    for (int i = 0; i < 200; ++i) {
#pragma omp task shared(done) firstprivate(i)
      {
        int before = i;
#pragma omp taskyield
        if (i % 8 == 0) {
#pragma omp task shared(done)
          {
#pragma omp taskyield
            add_one(&done);
          }
#pragma omp taskyield
        }
        CHECK_EQUAL(before, i);
        add_one(&done);
      }
#pragma omp taskyield
    }
  }
  CHECK_EQUAL(done, 225 * omp_get_max_threads());
  return check_end();
}
