// taskgroup: waits for all descendants made within it, not for the task's earlier children; nested groups, groups inside
// tasks, empty groups.
#include "check.h"

static int nodes;

static void tree(int depth) {
  add_one(&nodes);
  if (depth == 0) return;
  for (int i = 0; i < 3; ++i) {
#pragma omp task firstprivate(depth)
    {
      if (depth % 2) nap_us(5);
      tree(depth - 1);
    }
  }
}

static void grouped(int depth, int *count) {
  if (depth == 0) {
    add_one(count);
    return;
  }
  int mine = 0;
#pragma omp taskgroup
  {
    for (int i = 0; i < 2; ++i) {
#pragma omp task shared(mine) firstprivate(depth)
      {
#pragma omp task shared(mine) firstprivate(depth)
        grouped(depth - 1, &mine);
      }
    }
  }
  CHECK_EQUAL(mine, 1 << depth);  // its leaves
  __atomic_add_fetch(count, mine, __ATOMIC_SEQ_CST);
}

int main(void) {
  int n = omp_get_max_threads();
  for (int round = 0; round < 10; ++round) {
    nodes = 0;
    int outside = 0, go = 0;
#pragma omp parallel
#pragma omp single
    {
      if (n > 1) {
#pragma omp task shared(outside, go)
        {
          set_to(&outside, 1);
          CHECK(wait_until(&go, 1));
          set_to(&outside, 2);
        }
        // Another thread has it: the group below must not wait for it.
        CHECK(wait_until(&outside, 1));
      }
#pragma omp taskgroup
      tree(5);
      CHECK_EQUAL(value_of(&nodes), 364);
      if (n > 1) CHECK_EQUAL(value_of(&outside), 1);
#pragma omp taskgroup
      {
#pragma omp taskgroup
        tree(3);
        CHECK_EQUAL(value_of(&nodes), 364 + 40);
        tree(2);
      }
      CHECK_EQUAL(value_of(&nodes), 364 + 40 + 13);
#pragma omp taskgroup
      {
      }
      set_to(&go, 1);
    }
    if (n > 1) CHECK_EQUAL(outside, 2);
  }
  int count = 0;
#pragma omp parallel
  {
    int mine = 0;
    grouped(6, &mine);
    CHECK_EQUAL(mine, 64);
    add_one(&count);
  }
  CHECK_EQUAL(count, n);
  return check_end();
}
