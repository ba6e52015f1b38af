// OMP_NUM_TEAMS and OMP_TEAMS_THREAD_LIMIT, and the routines that set the same; a clause wins.
// run five: OMP_NUM_TEAMS=5 OMP_TEAMS_THREAD_LIMIT=2
// peer clang.five: the limit counts, but omp_get_thread_limit() does not tell it
#include "check.h"

static int limit_here(void) { return omp_get_thread_limit(); }  // gcc refuses the call in the region itself

static void league(int teams, int limit) {
  int seen = 0;
#pragma omp teams
  {
    CHECK(omp_get_num_teams() >= 1 && omp_get_num_teams() <= teams);
    add_one(&seen);
    CHECK_EQUAL(limit_here(), limit);
#pragma omp parallel num_threads(6)
    CHECK(omp_get_num_threads() <= limit);
  }
  CHECK(seen >= 1 && seen <= teams);
}

// In a target region that the host runs: as many as are allowed, or fewer.
static void target_league(int teams) {
  int seen = 0;
#pragma omp target teams map(tofrom : seen)
  add_one(&seen);
  CHECK(seen >= 1 && seen <= teams);
#ifndef __clang__
  CHECK_EQUAL(seen, 1);  // gcc's run one after another
#endif
}

int main(void) {
  CHECK_EQUAL(omp_get_max_teams(), 5);
  CHECK_EQUAL(omp_get_teams_thread_limit(), 2);
  league(5, 2);
  target_league(5);
  omp_set_num_teams(3);
  omp_set_teams_thread_limit(4);
  CHECK_EQUAL(omp_get_max_teams(), 3);
  CHECK_EQUAL(omp_get_teams_thread_limit(), 4);
  league(3, 4);
  int before = omp_get_thread_limit();
#pragma omp teams num_teams(2) thread_limit(3)
  {
    CHECK_EQUAL(omp_get_num_teams(), 2);
    CHECK_EQUAL(limit_here(), 3);
  }
  CHECK_EQUAL(omp_get_thread_limit(), before);
  return check_end();
}
