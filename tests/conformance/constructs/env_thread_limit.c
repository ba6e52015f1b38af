// OMP_THREAD_LIMIT: no region gets more threads than are left of it, however many are asked for.
// run three: OMP_THREAD_LIMIT=3
#include "check.h"

int main(void) {
  CHECK_EQUAL(omp_get_thread_limit(), 3);
  for (int round = 0; round < 20; ++round) {
    int members = 0, sum = 0;
#pragma omp parallel num_threads(8)
    {
      add_one(&members);
      CHECK(omp_get_num_threads() <= 3);
#pragma omp for schedule(dynamic) reduction(+ : sum)
      for (int i = 0; i < 100; ++i) sum += i;
    }
    CHECK(members >= 1 && members <= 3);
    CHECK_EQUAL(sum, 4950);
    // Two levels: all threads alive at one time together.
    omp_set_max_active_levels(2);
    int alive = 0, most = 0;
#pragma omp parallel num_threads(2)
    {
#pragma omp parallel num_threads(4)
      {
        int now = add_one(&alive);
#pragma omp critical
        if (now > most) most = now;
        nap_us(200);
        __atomic_sub_fetch(&alive, 1, __ATOMIC_SEQ_CST);
      }
    }
    CHECK(most >= 1 && most <= 3);
  }
  return check_end();
}
