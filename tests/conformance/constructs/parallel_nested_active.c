// Two active levels: every thread of the outer team is thread 0 of an inner team of its own, all at the same time.
#include "check.h"

enum { kOuter = 3, kInner = 3, kRounds = 30 };

int main(void) {
  omp_set_max_active_levels(2);
  CHECK_EQUAL(omp_get_max_active_levels(), 2);
  for (int round = 0; round < kRounds; ++round) {
    int met[kOuter][kInner] = {{0}}, arrived = 0, total = 0;
#pragma omp parallel num_threads(kOuter)
    {
      int outer = omp_get_thread_num(), loop_sum = 0;
      CHECK_EQUAL(omp_get_num_threads(), kOuter);
#pragma omp parallel num_threads(kInner)
      {
        int inner = omp_get_thread_num();
        CHECK_EQUAL(omp_get_num_threads(), kInner);
        CHECK_EQUAL(omp_get_level(), 2);
        CHECK_EQUAL(omp_get_active_level(), 2);
        CHECK_EQUAL(omp_get_ancestor_thread_num(0), 0);
        CHECK_EQUAL(omp_get_ancestor_thread_num(1), outer);
        CHECK_EQUAL(omp_get_ancestor_thread_num(2), inner);
        CHECK_EQUAL(omp_get_team_size(0), 1);
        CHECK_EQUAL(omp_get_team_size(1), kOuter);
        CHECK_EQUAL(omp_get_team_size(2), kInner);
        add_one(&met[outer][inner]);
        // All nine really run at once: none gets past here alone.
        add_one(&arrived);
        CHECK(wait_until(&arrived, kOuter * kInner));
        // Barriers and loops of the teams are separate.
#pragma omp barrier
#pragma omp for schedule(dynamic) reduction(+ : loop_sum)
        for (int i = 0; i < 20; ++i) loop_sum += i;
        // A third level is serialised.
#pragma omp parallel num_threads(2)
        {
          CHECK_EQUAL(omp_get_num_threads(), 1);
          CHECK_EQUAL(omp_get_level(), 3);
          CHECK_EQUAL(omp_get_active_level(), 2);
        }
      }
      CHECK_EQUAL(loop_sum, 190);
      __atomic_add_fetch(&total, loop_sum, __ATOMIC_RELAXED);
    }
    CHECK_EQUAL(total, kOuter * 190);
    for (int i = 0; i < kOuter; ++i)
      for (int j = 0; j < kInner; ++j) CHECK_EQUAL(met[i][j], 1);
  }
  return check_end();
}
