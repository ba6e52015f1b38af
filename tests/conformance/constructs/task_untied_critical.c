// critical in an untied task behind a point where it may have changed threads.
// peer clang: at -O0 clang 19 passes a thread number that the later parts of the task never set; libomp 19 believes it
#include "check.h"

int main(void) {
  int inside = 0, done = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 200; ++i) {
#pragma omp task untied shared(inside, done)
    {
#pragma omp task
      nap_us(1);
#pragma omp taskyield
#pragma omp critical
      {
        CHECK_EQUAL(add_one(&inside), 1);
        __atomic_sub_fetch(&inside, 1, __ATOMIC_SEQ_CST);
      }
#pragma omp taskwait
      add_one(&done);
    }
  }
  CHECK_EQUAL(done, 200);
  return check_end();
}
