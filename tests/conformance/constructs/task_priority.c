// priority is a hint; with OMP_MAX_TASK_PRIORITY all tasks run, and a thread alone takes the most urgent first.
// run none:
// run some: OMP_MAX_TASK_PRIORITY=10
#include "check.h"

int main(void) {
  enum { kTasks = 300 };
  int ran = 0, sum = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < kTasks; ++i) {
#pragma omp task priority(i % 13) shared(ran, sum) firstprivate(i)
    {
      add_one(&ran);
      __atomic_add_fetch(&sum, i, __ATOMIC_RELAXED);
    }
  }
  CHECK_EQUAL(ran, kTasks);
  CHECK_EQUAL(sum, kTasks * (kTasks - 1) / 2);
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop priority(5) shared(ran)
    for (int i = 0; i < 100; ++i) add_one(&ran);
    int value = 0;
    for (int i = 0; i < 20; ++i) {
#pragma omp task depend(inout : value) priority(20 - i) shared(value) firstprivate(i)
      {
        CHECK_EQUAL(value, i);
        value++;
      }
    }
#pragma omp taskwait
    CHECK_EQUAL(value, 20);
  }
  CHECK_EQUAL(ran, kTasks + 100);
  return check_end();
}
