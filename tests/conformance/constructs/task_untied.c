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
  return check_end();
}
