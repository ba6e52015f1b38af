// Nested regions eight deep with two threads each, by every way to allow them; from tasks; thousands of short ones.
// run env: OMP_MAX_ACTIVE_LEVELS=8
// run nested: OMP_NESTED=true OMP_MAX_ACTIVE_LEVELS=20
// run api: -- set
// threads: 2
// limit: 120
#include "check.h"

static int leaves, wrong;

static void deeper(int level, int depth) {
#pragma omp parallel num_threads(2)
  {
    if (omp_get_level() != level + 1 || omp_get_active_level() != level + 1 || omp_get_num_threads() != 2) add_one(&wrong);
    for (int i = 1; i <= level; ++i)
      if (omp_get_team_size(i) != 2) add_one(&wrong);
    if (omp_get_ancestor_thread_num(level + 1) != omp_get_thread_num()) add_one(&wrong);
    if (level + 1 < depth) deeper(level + 1, depth);
    else add_one(&leaves);
  }
}

int main(int argc, char **argv) {
  (void)argv;
  if (argc > 1) omp_set_max_active_levels(8);
  CHECK(omp_get_max_active_levels() >= 8);
  for (int repeat = 0; repeat < 3; ++repeat) {
    leaves = 0;
    deeper(0, 8);
    CHECK_EQUAL(leaves, 256);
  }
  CHECK_EQUAL(wrong, 0);

  // One level more than is allowed: serial.
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
  {
    CHECK_EQUAL(omp_get_num_threads(), 1);
    CHECK_EQUAL(omp_get_level(), 3);
    CHECK_EQUAL(omp_get_active_level(), 2);
  }
  // Regions in tasks.
  int members = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
  for (int i = 0; i < 40; ++i)
#pragma omp task
  {
#pragma omp parallel num_threads(2)
    {
      add_one(&members);
#pragma omp task
      add_one(&members);
#pragma omp taskwait
    }
  }
  CHECK_EQUAL(members, 160);
  // Short ones, from two threads at once.
  members = 0;
#pragma omp parallel num_threads(2)
  for (int i = 0; i < 2000; ++i)
#pragma omp parallel num_threads(2)
    add_one(&members);
  CHECK_EQUAL(members, 8000);
  return check_end();
}
