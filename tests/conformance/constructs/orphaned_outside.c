// Constructs outside every region bind to a team of one: all of them work, at once and in order.
#include "check.h"

int main(void) {
  CHECK_EQUAL(omp_get_num_threads(), 1);
  int next = 0;
#pragma omp for schedule(dynamic, 7)
  for (int i = 0; i < 100; ++i) CHECK_EQUAL(i, next++);
#pragma omp for schedule(guided)
  for (int i = 100; i < 200; ++i) CHECK_EQUAL(i, next++);
#pragma omp for schedule(static, 3)
  for (int i = 200; i < 300; ++i) CHECK_EQUAL(i, next++);
#pragma omp for schedule(runtime)
  for (int i = 300; i < 400; ++i) CHECK_EQUAL(i, next++);
#pragma omp for ordered schedule(dynamic)
  for (int i = 400; i < 500; ++i) {
#pragma omp ordered
    CHECK_EQUAL(i, next++);
  }
  CHECK_EQUAL(next, 500);

  int sections = 0;
#pragma omp sections
  {
#pragma omp section
    sections += 1;
#pragma omp section
    sections += 10;
#pragma omp section
    sections += 100;
  }
  CHECK_EQUAL(sections, 111);

  int once = 0;
#pragma omp single
  ++once;
#pragma omp single nowait
  ++once;
#pragma omp single copyprivate(once)
  ++once;
#pragma omp master
  ++once;
#pragma omp critical
  ++once;
#pragma omp barrier
  CHECK_EQUAL(once, 5);

  int tasks = 0;
  for (int i = 0; i < 1000; ++i) {
#pragma omp task shared(tasks)
    ++tasks;
  }
#pragma omp taskwait
  CHECK_EQUAL(tasks, 1000);
#pragma omp taskgroup
  {
#pragma omp task shared(tasks)
    {
#pragma omp task shared(tasks)
      ++tasks;
    }
  }
  CHECK_EQUAL(tasks, 1001);
#pragma omp taskyield
#pragma omp taskloop shared(tasks)
  for (int i = 0; i < 50; ++i) ++tasks;
  CHECK_EQUAL(tasks, 1051);
  return check_end();
}
