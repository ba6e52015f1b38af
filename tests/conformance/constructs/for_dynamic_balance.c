// A dynamic loop is dynamic: while one thread is held in an iteration, the others do all the rest.
#include "check.h"

enum { kIterations = 200 };

int main(void) {
  int n = omp_get_max_threads();
  for (int round = 0; round < 5; ++round) {
    int done = 0, holder = -1, held_did_more = 0;
#pragma omp parallel for schedule(dynamic, 1)
    for (int i = 0; i < kIterations; ++i) {
      if (i == 0 && n > 1) {
        __atomic_store_n(&holder, omp_get_thread_num(), __ATOMIC_RELAXED);
        CHECK(wait_until(&done, kIterations - 1));
      } else if (i > 0) {
        if (__atomic_load_n(&holder, __ATOMIC_RELAXED) == omp_get_thread_num()) add_one(&held_did_more);
        add_one(&done);
      }
    }
    CHECK_EQUAL(done, kIterations - 1);
    CHECK_EQUAL(held_did_more, 0);
  }
  return check_end();
}
