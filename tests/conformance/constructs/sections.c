// sections: every section once, with fewer and with more sections than threads; data clauses; nowait.
#include "check.h"

int main(void) {
  for (int round = 0; round < 100; ++round) {
    int done[9] = {0}, last = -1, first = 7, sum = 0;
#pragma omp parallel
    {
#pragma omp sections
      {
        add_one(&done[0]);
#pragma omp section
        add_one(&done[1]);
      }
      // The barrier at the end: both are done.
      CHECK_EQUAL(value_of(&done[0]) + value_of(&done[1]), 2);
#pragma omp sections firstprivate(first) lastprivate(last) reduction(+ : sum) nowait
      {
#pragma omp section
        {
          add_one(&done[2]);
          last = 1;
          sum += first;
        }
#pragma omp section
        {
          add_one(&done[3]);
          last = 2;
          sum += 2 * first;
        }
#pragma omp section
        {
          add_one(&done[4]);
          last = 3;
          sum += 3 * first;
        }
      }
    }
    CHECK_EQUAL(last, 3);
    CHECK_EQUAL(sum, 42);
#pragma omp parallel sections num_threads(3)
    {
#pragma omp section
      add_one(&done[5]);
#pragma omp section
      add_one(&done[6]);
#pragma omp section
      add_one(&done[7]);
#pragma omp section
      add_one(&done[8]);
    }
    for (int i = 0; i < 9; ++i) CHECK_EQUAL(done[i], 1);
  }
  // Sections run at the same time where there are threads for them.
  int a = 0, b = 0;
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    {
      set_to(&a, 1);
      CHECK(wait_until(&b, 1));
    }
#pragma omp section
    {
      set_to(&b, 1);
      CHECK(wait_until(&a, 1));
    }
  }
  return check_end();
}
