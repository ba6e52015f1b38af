// The other variables of the specification. Arguments: what to ask, what the answer is to be.
// run dynamic_true: OMP_DYNAMIC=true -- dynamic 1
// run dynamic_false: OMP_DYNAMIC=FALSE -- dynamic 0
// run thread_limit: OMP_THREAD_LIMIT=3 -- thread_limit 3
// run max_active_levels: OMP_MAX_ACTIVE_LEVELS=4 -- max_active_levels 4
// run max_active_levels_0: OMP_MAX_ACTIVE_LEVELS=0 -- max_active_levels 0
// run max_task_priority: OMP_MAX_TASK_PRIORITY=7 -- max_task_priority 7
// run cancellation: OMP_CANCELLATION=true -- cancellation 1
// run wait_policy_active: OMP_WAIT_POLICY=active -- none 0
// run wait_policy_passive: OMP_WAIT_POLICY=PASSIVE -- none 0
// run display_env: OMP_DISPLAY_ENV=true OMP_SCHEDULE=dynamic,3 -- none 0
// stderr display_env: OMP_SCHEDULE *= *'(\w+:)?DYNAMIC,3
// run display_env_verbose: OMP_DISPLAY_ENV=verbose -- none 0
// stderr display_env_verbose: OPENMP DISPLAY ENVIRONMENT BEGIN(.|\n)*OMP_NUM_THREADS(.|\n)*OPENMP DISPLAY ENVIRONMENT END
#include "check.h"

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  const char *what = argv[1];
  int expected = atoi(argv[2]), got = expected;
  if (strcmp(what, "dynamic") == 0) got = omp_get_dynamic();
  else if (strcmp(what, "thread_limit") == 0) got = omp_get_thread_limit();
  else if (strcmp(what, "max_active_levels") == 0) got = omp_get_max_active_levels();
  else if (strcmp(what, "max_task_priority") == 0) got = omp_get_max_task_priority();
  else if (strcmp(what, "cancellation") == 0) got = omp_get_cancellation();
  else if (strcmp(what, "none") != 0) return 2;
  CHECK_EQUAL(got, expected);
  // And a region works.
  int members = 0, size = 0, tasks = 0;
#pragma omp parallel
  {
    add_one(&members);
#pragma omp single
    {
      size = omp_get_num_threads();
      for (int i = 0; i < 100; ++i) {
#pragma omp task shared(tasks)
        add_one(&tasks);
      }
    }
  }
  CHECK_EQUAL(members, size);
  CHECK_EQUAL(tasks, 100);
  return check_end();
}
