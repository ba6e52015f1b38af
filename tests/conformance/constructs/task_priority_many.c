// Many tasks with a priority, each of which waits for children of its own: what a wait takes does not depend on how many others are
// queued, which it may not run.
// run some: OMP_MAX_TASK_PRIORITY=10
#include "check.h"

int main(void) {
  enum { kTasks = 100000 };
  int ran = 0, children = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < kTasks; ++i) {
#pragma omp task priority(1) shared(ran, children) firstprivate(i)
    {
      int mine = 0;
#pragma omp task priority(i % 3) shared(mine)
      add_one(&mine);
#pragma omp task shared(mine)
      add_one(&mine);
#pragma omp taskwait
      CHECK_EQUAL(mine, 2);
      add_one(&ran);
      __atomic_add_fetch(&children, mine, __ATOMIC_RELAXED);
    }
  }
  CHECK_EQUAL(ran, kTasks);
  CHECK_EQUAL(children, 2 * kTasks);
  return check_end();
}
