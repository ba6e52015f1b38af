// A value that makes no sense: a warning on stderr that names the variable, and the program runs with the default.
// run num_threads: OMP_NUM_THREADS=many
// stderr num_threads: OMP_NUM_THREADS
// run num_threads_zero: OMP_NUM_THREADS=0
// stderr num_threads_zero: OMP_NUM_THREADS
// run num_threads_list: OMP_NUM_THREADS=2,,3
// stderr num_threads_list: OMP_NUM_THREADS
// run schedule: OMP_SCHEDULE=sometimes
// stderr schedule: OMP_SCHEDULE
// run schedule_chunk: OMP_SCHEDULE=dynamic,x
// stderr schedule_chunk: OMP_SCHEDULE
// run dynamic: OMP_DYNAMIC=perhaps
// stderr dynamic: OMP_DYNAMIC
// run thread_limit: OMP_THREAD_LIMIT=none
// stderr thread_limit: OMP_THREAD_LIMIT
// run max_active_levels: OMP_MAX_ACTIVE_LEVELS=-3
// stderr max_active_levels: OMP_MAX_ACTIVE_LEVELS
// run stacksize: OMP_STACKSIZE=big
// stderr stacksize: OMP_STACKSIZE
// run wait_policy: OMP_WAIT_POLICY=sleepy
// stderr wait_policy: OMP_WAIT_POLICY
#include "check.h"

int main(void) {
  int members = 0, tasks = 0, size = 0;
#pragma omp parallel
  {
    add_one(&members);
#pragma omp single
    {
      size = omp_get_num_threads();
      for (int i = 0; i < 50; ++i) {
#pragma omp task shared(tasks)
        add_one(&tasks);
      }
    }
  }
  CHECK(size >= 1);
  CHECK_EQUAL(members, size);
  CHECK_EQUAL(tasks, 50);
  int sum = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : sum)
  for (int i = 0; i < 100; ++i) sum += i;
  CHECK_EQUAL(sum, 4950);
  return check_end();
}
