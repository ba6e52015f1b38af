// omp_pause_resource: the threads end, the next region has new ones; not inside of a region.
// peer clang: pauses in a region too, and hangs then
#include "check.h"

static int seen = 17;
#pragma omp threadprivate(seen)

int main(void) {
  for (int round = 0; round < 30; ++round) {
    int old = 0;
#pragma omp parallel num_threads(4) reduction(+ : old)
    {
      if (omp_get_thread_num() > 0) old += seen != 17;
      seen = round;
    }
    CHECK_EQUAL(old, 0);
#pragma omp parallel num_threads(4) reduction(+ : old)
    old += seen != round;
    CHECK_EQUAL(old, 0);
#pragma omp parallel num_threads(2)
    CHECK(omp_pause_resource_all(omp_pause_hard) != 0);
    if (round % 2) CHECK_EQUAL(omp_pause_resource_all(omp_pause_hard), 0);
    else CHECK_EQUAL(omp_pause_resource(omp_pause_hard, omp_get_initial_device()), 0);
  }
  return check_end();
}
