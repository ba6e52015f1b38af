// OMP_*_ALL sets the host's value where the plain variable does not; OMP_*_DEV is for other devices (OpenMP 5.2, 21). Argument: whether
// the plain variables are set as well.
// run all: OMP_NUM_THREADS='' OMP_NUM_THREADS_ALL=5,2 OMP_SCHEDULE_ALL=guided,4 OMP_NUM_TEAMS_ALL=3 OMP_THREAD_LIMIT_ALL=45 OMP_DYNAMIC_ALL=true OMP_MAX_ACTIVE_LEVELS_ALL=7 OMP_TEAMS_THREAD_LIMIT_ALL=2 OMP_PROC_BIND_ALL=spread OMP_NUM_THREADS_DEV=9 OMP_SCHEDULE_DEV_0=static -- 0
// run plain_wins: OMP_NUM_THREADS=5,2 OMP_SCHEDULE=guided,4 OMP_NUM_TEAMS=3 OMP_THREAD_LIMIT=45 OMP_DYNAMIC=true OMP_MAX_ACTIVE_LEVELS=7 OMP_TEAMS_THREAD_LIMIT=2 OMP_PROC_BIND=spread OMP_NUM_THREADS_ALL=6 OMP_SCHEDULE_ALL=static OMP_NUM_TEAMS_ALL=4 OMP_THREAD_LIMIT_ALL=46 OMP_DYNAMIC_ALL=false OMP_MAX_ACTIVE_LEVELS_ALL=8 OMP_TEAMS_THREAD_LIMIT_ALL=3 OMP_PROC_BIND_ALL=close -- 0
// run dev_alone: OMP_SCHEDULE_DEV=guided,4 OMP_NUM_TEAMS_DEV=3 OMP_THREAD_LIMIT_DEV=45 OMP_DYNAMIC_DEV=true OMP_MAX_ACTIVE_LEVELS_DEV=7 -- 1
// run shown: OMP_DISPLAY_ENV=true OMP_SCHEDULE_ALL=guided,4 OMP_NUM_TEAMS_DEV=3 OMP_NUM_TEAMS_DEV_2=6 -- 2
// stderr shown: host. OMP_SCHEDULE = '(\w+:)?GUIDED,4'(.|\n)*all. OMP_SCHEDULE = 'guided,4'(.|\n)*device. OMP_NUM_TEAMS = '3'(.|\n)*\[2\] OMP_NUM_TEAMS = '6'
// emulated shown: qemu gives the variables to the program in the opposite order, and they are shown in theirs
// peer gcc: libgomp 12 does not know these names
// peer clang: libomp does not know them
#include "check.h"

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  const int what = atoi(argv[1]);
  omp_sched_t kind;
  int chunk;
  omp_get_schedule(&kind, &chunk);
  const int guided_4 = ((unsigned)kind & 0x7fffffff) == omp_sched_guided && chunk == 4;
  if (what == 0) {
    CHECK_EQUAL(omp_get_max_threads(), 5);
    CHECK(guided_4);
    CHECK_EQUAL(omp_get_max_teams(), 3);
    CHECK_EQUAL(omp_get_thread_limit(), 45);
    CHECK(omp_get_dynamic());
    CHECK_EQUAL(omp_get_max_active_levels(), 7);
    CHECK_EQUAL(omp_get_teams_thread_limit(), 2);
    CHECK_EQUAL(omp_get_proc_bind(), omp_proc_bind_spread);
  } else if (what == 1) {
    CHECK(!guided_4);
    CHECK_EQUAL(omp_get_max_teams(), 0);
    CHECK(omp_get_thread_limit() != 45);
    CHECK(!omp_get_dynamic());
    CHECK(omp_get_max_active_levels() != 7);
  } else {
    CHECK(guided_4);
    CHECK_EQUAL(omp_get_max_teams(), 0);
  }
  return check_end();
}
