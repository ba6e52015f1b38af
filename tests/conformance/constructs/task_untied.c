// untied tasks, with children, waits and yields in them (clang makes several parts of each).
// peer clang: at -O0 clang 19 passes a thread number that the later parts of the task never set; libomp 19 believes it
#include "check.h"

static int walk(int depth) {
  if (depth == 0) return 1;
  int left = 0, right = 0, here = depth;
#pragma omp task untied shared(left) firstprivate(depth)
  {
    int below = depth - 1;
    left = walk(below);
#pragma omp taskyield
    CHECK_EQUAL(below, depth - 1);
  }
#pragma omp task untied shared(right) firstprivate(depth)
  right = walk(depth - 1);
#pragma omp taskwait
  CHECK_EQUAL(here, depth);
  return left + right;
}

int main(void) {
  int total = 0, parts = 0;
#pragma omp parallel
#pragma omp single
  total = walk(10);
  CHECK_EQUAL(total, 1024);
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 100; ++i) {
#pragma omp task untied firstprivate(i) shared(parts)
    {
      int mine = i, grandchildren = 0;
      add_one(&parts);
#pragma omp task shared(grandchildren)
      add_one(&grandchildren);
#pragma omp taskyield
      CHECK_EQUAL(mine, i);
#pragma omp task shared(grandchildren)
      add_one(&grandchildren);
#pragma omp taskwait
      CHECK_EQUAL(grandchildren, 2);
      CHECK_EQUAL(mine, i);
      add_one(&parts);
#pragma omp taskgroup
      {
#pragma omp task shared(grandchildren)
        add_one(&grandchildren);
      }
      CHECK_EQUAL(grandchildren, 3);
      add_one(&parts);
    }
  }
  CHECK_EQUAL(parts, 300);
  // A yield inside a group: what follows may run on another thread, and the group ends there all the same.
  int groups = 0;
#pragma omp parallel
  for (int i = 0; i < 50; ++i) {
#pragma omp task untied shared(groups)
    {
      int members = 0;
#pragma omp taskgroup
      {
#pragma omp task shared(members)
        add_one(&members);
#pragma omp taskyield
#pragma omp task shared(members) untied
        {
#pragma omp taskyield
          add_one(&members);
        }
#pragma omp taskyield
#pragma omp task shared(members)
        add_one(&members);
      }
      CHECK_EQUAL(members, 3);
      add_one(&groups);
    }
  }
  CHECK_EQUAL(groups, 50 * omp_get_max_threads());
#ifdef __clang__
  // Each thread has a task that yields until another has been run: a yield lets go of its thread (gcc's tasks cannot).
  int arrived = 0, waiters = omp_get_max_threads();
#pragma omp parallel
  {
#pragma omp single
    {
      for (int i = 0; i < waiters; ++i) {
#pragma omp task untied shared(arrived)
        while (omp_get_num_threads() > 1 && !value_of(&arrived)) {
#pragma omp taskyield
        }
      }
#pragma omp task shared(arrived)
      add_one(&arrived);
    }
  }
  CHECK_EQUAL(arrived, 1);
#endif
  return check_end();
}
