// Tasks in unusual places: inside loops, sections, criticals, nested regions, from foreign threads, around threadprivate;
// and what the omp_ queries say inside a task.
#include "check.h"

static int mine;
#pragma omp threadprivate(mine)

int main(void) {
  int n = omp_get_max_threads(), count = 0, nested = 0, sections = 0;
#pragma omp parallel
  mine = omp_get_thread_num();
#pragma omp parallel
  {
#pragma omp for schedule(dynamic) nowait
    for (int i = 0; i < 50; ++i) {
#pragma omp task shared(count)
      {
        add_one(&count);
        CHECK_EQUAL(mine, omp_get_thread_num());
        CHECK_EQUAL(omp_get_num_threads(), n);
        CHECK_EQUAL(omp_get_level(), 1);
      }
    }
#pragma omp critical
    {
#pragma omp task shared(count)
      add_one(&count);
    }
#pragma omp sections nowait
    {
#pragma omp section
      {
#pragma omp task shared(sections)
        add_one(&sections);
      }
#pragma omp section
      {
#pragma omp task shared(sections)
        add_one(&sections);
#pragma omp taskwait
      }
    }
    // A region inside a task, tasks inside that.
#pragma omp task shared(nested)
    {
      int here = 0;
#pragma omp parallel num_threads(2) shared(here)
      {
        CHECK_EQUAL(omp_get_level(), 2);
#pragma omp single
        for (int i = 0; i < 10; ++i) {
#pragma omp task shared(here)
          add_one(&here);
        }
        CHECK_EQUAL(value_of(&here), 10);
      }
      CHECK_EQUAL(here, 10);
      add_one(&nested);
    }
  }
  CHECK_EQUAL(count, 50 + n);
  CHECK_EQUAL(sections, 2);
  CHECK_EQUAL(nested, n);
  // Control variables set in a task are that task's.
  int before = omp_get_max_threads();
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    {
      omp_set_num_threads(before + 5);
      CHECK_EQUAL(omp_get_max_threads(), before + 5);
#pragma omp task
      CHECK_EQUAL(omp_get_max_threads(), before + 5);
#pragma omp taskwait
    }
#pragma omp taskwait
    CHECK_EQUAL(omp_get_max_threads(), before);
  }
  // Priorities are hints.
  int order = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 100; ++i) {
#pragma omp task priority(i) shared(order)
    add_one(&order);
  }
  CHECK_EQUAL(order, 100);
  return check_end();
}
