// OMP_NUM_THREADS: one number, or a list with one for each nesting level. Arguments: the sizes of the teams of the first
// and second level that are to be.
// run one: OMP_NUM_THREADS=5 -- 5 1
// run spaces: OMP_NUM_THREADS=' 3 ' -- 3 1
// run list: OMP_NUM_THREADS=3,2 -- 3 2
// run list_spaces: OMP_NUM_THREADS='2 , 4' -- 2 4
// run list_and_levels: OMP_NUM_THREADS=3,2 OMP_MAX_ACTIVE_LEVELS=1 -- 3 1
// run levels_only: OMP_NUM_THREADS=3 OMP_MAX_ACTIVE_LEVELS=2 -- 3 3
#include "check.h"

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  int outer = atoi(argv[1]), inner = atoi(argv[2]), members = 0;
  CHECK_EQUAL(omp_get_max_threads(), outer);
#pragma omp parallel
  {
    CHECK_EQUAL(omp_get_num_threads(), outer);
#pragma omp parallel
    {
      CHECK_EQUAL(omp_get_num_threads(), inner);
      add_one(&members);
    }
  }
  CHECK_EQUAL(members, outer * inner);
  return check_end();
}
