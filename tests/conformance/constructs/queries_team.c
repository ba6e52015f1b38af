// The queries inside regions, three levels of them: active, serialised by if, active.
#include "check.h"

int main(void) {
  omp_set_max_active_levels(3);
#pragma omp parallel num_threads(2)
  {
    int first = omp_get_thread_num();
#pragma omp parallel num_threads(4) if (0)
    {
      CHECK_EQUAL(omp_get_level(), 2);
      CHECK_EQUAL(omp_get_active_level(), 1);
      CHECK_EQUAL(omp_in_parallel(), 1);
#pragma omp parallel num_threads(3)
      {
        CHECK_EQUAL(omp_get_level(), 3);
        CHECK_EQUAL(omp_get_active_level(), 2);
        CHECK_EQUAL(omp_get_num_threads(), 3);
        CHECK_EQUAL(omp_get_ancestor_thread_num(0), 0);
        CHECK_EQUAL(omp_get_ancestor_thread_num(1), first);
        CHECK_EQUAL(omp_get_ancestor_thread_num(2), 0);
        CHECK_EQUAL(omp_get_ancestor_thread_num(3), omp_get_thread_num());
        CHECK_EQUAL(omp_get_ancestor_thread_num(4), -1);
        CHECK_EQUAL(omp_get_team_size(0), 1);
        CHECK_EQUAL(omp_get_team_size(1), 2);
        CHECK_EQUAL(omp_get_team_size(2), 1);
        CHECK_EQUAL(omp_get_team_size(3), 3);
        CHECK_EQUAL(omp_get_team_size(4), -1);
#pragma omp task
        {
          CHECK_EQUAL(omp_get_level(), 3);
          CHECK_EQUAL(omp_get_ancestor_thread_num(1), first);
          CHECK_EQUAL(omp_in_final(), 0);
        }
      }
      CHECK_EQUAL(omp_get_level(), 2);
    }
    CHECK_EQUAL(omp_get_level(), 1);
    CHECK_EQUAL(omp_get_thread_num(), first);
  }
  CHECK_EQUAL(omp_get_level(), 0);
  return check_end();
}
