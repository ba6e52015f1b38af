// Tasks in two levels of active teams: each team's tasks are run by its own threads, its barriers wait for its own.
#include "check.h"

int main(void) {
  omp_set_max_active_levels(2);
  for (int round = 0; round < 20; ++round) {
    int outer_tasks = 0, inner_tasks = 0;
#pragma omp parallel num_threads(3)
    {
      int outer = omp_get_thread_num();
      for (int i = 0; i < 10; ++i) {
#pragma omp task shared(outer_tasks)
        {
          CHECK_EQUAL(omp_get_level(), 1);
          add_one(&outer_tasks);
        }
      }
      int mine = 0;
#pragma omp parallel num_threads(2) shared(mine)
      {
        for (int i = 0; i < 10; ++i) {
#pragma omp task shared(mine)
          {
            CHECK_EQUAL(omp_get_level(), 2);
            CHECK_EQUAL(omp_get_ancestor_thread_num(1), outer);
            add_one(&mine);
          }
        }
#pragma omp barrier
        CHECK_EQUAL(value_of(&mine), 20);
      }
      __atomic_add_fetch(&inner_tasks, mine, __ATOMIC_SEQ_CST);
    }
    CHECK_EQUAL(outer_tasks, 30);
    CHECK_EQUAL(inner_tasks, 60);
  }
  return check_end();
}
