// omp_set_num_threads sets the size of the teams to come, and only those of the task that calls it.
#include "check.h"

static int team_size(void) {
  int size = 0;
#pragma omp parallel
  {
#pragma omp single
    size = omp_get_num_threads();
  }
  return size;
}

int main(void) {
  CHECK_EQUAL(team_size(), omp_get_max_threads());
  static const int sizes[] = {3, 1, 8, 2, 5, 5, 1, 7, 4};
  for (int i = 0; i < (int)(sizeof sizes / sizeof *sizes); ++i) {
    omp_set_num_threads(sizes[i]);
    CHECK_EQUAL(omp_get_max_threads(), sizes[i]);
    CHECK_EQUAL(team_size(), sizes[i]);
  }
  // Inside a region it is about that thread's task alone, and gone with it.
  omp_set_num_threads(3);
#pragma omp parallel
  {
    int mine = 2 + omp_get_thread_num();
    omp_set_num_threads(mine);
#pragma omp barrier
    CHECK_EQUAL(omp_get_max_threads(), mine);
  }
  CHECK_EQUAL(omp_get_max_threads(), 3);
  return check_end();
}
