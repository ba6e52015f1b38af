// task if(0): done before the next statement, by the same thread, with its own data environment; the tasks that it makes
// itself are ordinary ones and may outlive it.
#include <pthread.h>

#include "check.h"

int main(void) {
  for (int round = 0; round < 100; ++round) {
    int children = 0, after = 0;
#pragma omp parallel
#pragma omp single
    {
      pthread_t creator = pthread_self();
      for (int i = 0; i < 10; ++i) {
        int done = 0, copy = i;
#pragma omp task if (0) shared(done, children, after) firstprivate(copy)
        {
          CHECK(pthread_equal(creator, pthread_self()));
          copy += 100;
          done = copy;
          for (int k = 0; k < 5; ++k) {
#pragma omp task shared(children) firstprivate(copy)
            {
#pragma omp task shared(children)
              add_one(&children);
              if (copy % 3 == 0) nap_us(20);
              add_one(&children);
            }
          }
        }
        CHECK_EQUAL(done, i + 100);
        CHECK_EQUAL(copy, i);
      }
      // Its children are not ours: taskwait need not wait for them, the barrier does.
#pragma omp taskwait
      add_one(&after);
    }
    CHECK_EQUAL(children, 100);
    CHECK_EQUAL(after, 1);
  }
  // The condition at run time.
  int odd = 0, even = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 200; ++i) {
    int done = 0;
#pragma omp task if (i % 2) shared(odd, even, done)
    {
      add_one(i % 2 ? &odd : &even);
      set_to(&done, 1);
    }
    if (i % 2 == 0) CHECK_EQUAL(done, 1);
#pragma omp taskwait
    CHECK_EQUAL(done, 1);
  }
  CHECK_EQUAL(odd, 100);
  CHECK_EQUAL(even, 100);
  return check_end();
}
