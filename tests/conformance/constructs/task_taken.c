// A task that its creator leaves queued, going on with work of its own, is taken by a thread that has nothing to do:
// whether that one is spinning, falling asleep, or has slept for long; and so is each of many, and a task of that task.
#include "check.h"

int main(void) {
  int n = omp_get_max_threads();
  if (n == 1) return 0;
  for (int round = 0; round < 300; ++round) {
    int started = 0, second = 0;
#pragma omp parallel
#pragma omp single nowait
    {
      nap_us(round % 30 == 0 ? 5000 : round * 7 % 100);
#pragma omp task shared(started)
      set_to(&started, 1);
      CHECK(wait_until(&started, 1));
      if (n > 2) {
        set_to(&started, 0);
#pragma omp task shared(started, second)
        {
#pragma omp task shared(second)
          set_to(&second, 1);
          set_to(&started, 1);
          CHECK(wait_until(&second, 1));
        }
        CHECK(wait_until(&started, 1));
      }
    }
    if (n > 2) CHECK_EQUAL(second, 1);
  }
  // n - 1 tasks at once, each of which waits for all the others: each needs a thread of its own.
  for (int round = 0; round < 100; ++round) {
    int running = 0;
#pragma omp parallel
#pragma omp single nowait
    {
      for (int i = 0; i < n - 1; ++i) {
#pragma omp task shared(running)
        {
          add_one(&running);
          CHECK(wait_until(&running, n - 1));
        }
      }
      CHECK(wait_until(&running, n - 1));
    }
  }
  return check_end();
}
