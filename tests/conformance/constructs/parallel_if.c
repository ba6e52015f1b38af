// parallel if(false): a team of one, an inactive region. With num_threads and if together, if wins.
#include "check.h"

int main(void) {
  for (int wanted = 0; wanted < 2; ++wanted) {
    int members = 0;
#pragma omp parallel if (wanted) num_threads(4)
    {
      add_one(&members);
      CHECK_EQUAL(omp_get_num_threads(), wanted ? 4 : 1);
      CHECK_EQUAL(omp_in_parallel(), wanted);
      CHECK_EQUAL(omp_get_level(), 1);
      CHECK_EQUAL(omp_get_active_level(), wanted);
      if (!wanted) CHECK_EQUAL(omp_get_thread_num(), 0);
    }
    CHECK_EQUAL(members, wanted ? 4 : 1);
  }
  // The condition is evaluated each time, with side effects.
  int calls = 0, sum = 0;
  for (int i = 0; i < 100; ++i) {
#pragma omp parallel if (calls++ % 2 == 0) num_threads(2)
    __atomic_add_fetch(&sum, 1, __ATOMIC_RELAXED);
  }
  CHECK_EQUAL(calls, 100);
  CHECK_EQUAL(sum, 150);
  return check_end();
}
