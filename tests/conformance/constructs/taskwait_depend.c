// taskwait depend waits for the tasks that it names, and not for others.
#include "check.h"

int main(void) {
#pragma omp parallel
#pragma omp single
  {
    int a = 0, b = 0, release = 0, late = 0;
    for (int round = 1; round <= 30; ++round) {
#pragma omp task depend(inout : a) shared(a)
      {
        nap_us(50);
        a++;
      }
#pragma omp task depend(inout : b) shared(b)
      b++;
#pragma omp taskwait depend(in : a)
      CHECK_EQUAL(a, round);
    }
    if (omp_get_num_threads() > 1) {
      // Ends only after the wait: a taskwait for all would hang.
#pragma omp task depend(out : b) shared(release, late)
      {
        CHECK(wait_until(&release, 1));
        add_one(&late);
      }
#pragma omp task depend(out : a) shared(a)
      a = -1;
#pragma omp taskwait depend(inout : a)
      CHECK_EQUAL(a, -1);
      set_to(&release, 1);
    }
#pragma omp taskwait
    CHECK_EQUAL(late, omp_get_num_threads() > 1);
  }
  return check_end();
}
