// Nested regions get one thread where one active level is allowed, but they are levels all the same.
#include "check.h"

int main(void) {
  omp_set_max_active_levels(1);
  int inner_regions = 0, n = omp_get_max_threads();
#pragma omp parallel
  {
    int outer_num = omp_get_thread_num();
#pragma omp parallel num_threads(4)
    {
      add_one(&inner_regions);
      CHECK_EQUAL(omp_get_num_threads(), n > 1 ? 1 : 4);
      CHECK_EQUAL(omp_get_level(), 2);
      CHECK_EQUAL(omp_get_active_level(), 1);
      CHECK_EQUAL(omp_in_parallel(), 1);
      CHECK_EQUAL(omp_get_ancestor_thread_num(1), outer_num);
      CHECK_EQUAL(omp_get_team_size(1), n);
      // Worksharing belongs to the innermost team.
      int iterations = 0;
#pragma omp parallel for num_threads(3) reduction(+ : iterations)
      for (int i = 0; i < 10; ++i) {
        ++iterations;
        CHECK_EQUAL(omp_get_level(), 3);
        CHECK_EQUAL(omp_get_num_threads(), 1);
      }
      CHECK_EQUAL(iterations, 10);
      int here = 0;
#pragma omp single nowait
      here = 1;
      if (n > 1) CHECK_EQUAL(here, 1);
    }
    CHECK_EQUAL(omp_get_level(), 1);
    CHECK_EQUAL(omp_get_thread_num(), outer_num);
#pragma omp barrier
    CHECK_EQUAL(omp_get_num_threads(), n);
  }
  // With one thread the outer region is inactive: then the inner one is the first active level.
  CHECK_EQUAL(inner_regions, n > 1 ? n : 4);
  return check_end();
}
