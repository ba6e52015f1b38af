// Settings that are read back: dynamic, nesting, active levels, schedule with its modifier; per task where they are.
#include "check.h"

static void check_schedule(omp_sched_t kind, int chunk) {
  omp_sched_t got;
  int got_chunk;
  omp_get_schedule(&got, &got_chunk);
  CHECK_EQUAL(got & ~(unsigned)omp_sched_monotonic, kind);
  if (chunk > 0) CHECK_EQUAL(got_chunk, chunk);
}

int main(void) {
  int n = omp_get_max_threads();
  CHECK_EQUAL(omp_get_dynamic(), 0);
  omp_set_dynamic(1);
  CHECK_EQUAL(omp_get_dynamic(), 1);
  omp_set_dynamic(0);
  CHECK_EQUAL(omp_get_dynamic(), 0);

  omp_set_max_active_levels(3);
  CHECK_EQUAL(omp_get_max_active_levels(), 3);
  omp_set_max_active_levels(0);
  CHECK_EQUAL(omp_get_max_active_levels(), 0);
#pragma omp parallel num_threads(4)
  {
    CHECK_EQUAL(omp_get_num_threads(), 1);
    CHECK_EQUAL(omp_in_parallel(), 0);
    CHECK_EQUAL(omp_get_level(), 1);
  }
  omp_set_max_active_levels(1);
  CHECK_EQUAL(omp_get_max_active_levels(), 1);

  omp_set_schedule(omp_sched_static, 13);
  check_schedule(omp_sched_static, 13);
  omp_set_schedule(omp_sched_dynamic, 7);
  check_schedule(omp_sched_dynamic, 7);
  omp_set_schedule(omp_sched_guided, 5);
  check_schedule(omp_sched_guided, 5);
  omp_set_schedule(omp_sched_auto, 0);
  check_schedule(omp_sched_auto, 0);
  omp_set_schedule((omp_sched_t)(omp_sched_dynamic | omp_sched_monotonic), 2);
  check_schedule(omp_sched_dynamic, 2);
  omp_sched_t kind;
  int chunk;
  omp_get_schedule(&kind, &chunk);
  CHECK(kind & omp_sched_monotonic);
  omp_set_schedule(omp_sched_dynamic, 0);
  omp_get_schedule(&kind, &chunk);
  CHECK_EQUAL(chunk, 1);

  // Of the task: set in a region, it stays there.
  omp_set_schedule(omp_sched_static, 4);
#pragma omp parallel
  {
    check_schedule(omp_sched_static, 4);
    omp_set_schedule(omp_sched_guided, 10 + omp_get_thread_num());
    omp_set_dynamic(omp_get_thread_num() % 2);
#pragma omp barrier
    check_schedule(omp_sched_guided, 10 + omp_get_thread_num());
    CHECK_EQUAL(omp_get_dynamic(), omp_get_thread_num() % 2);
  }
  check_schedule(omp_sched_static, 4);
  CHECK_EQUAL(omp_get_dynamic(), 0);
  // Values that mean nothing are not taken.
  CHECK_EQUAL(omp_get_max_threads(), n);
  return check_end();
}
