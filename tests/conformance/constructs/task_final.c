// final: the task's descendants are done at once, one within the other, and all of them are final; mergeable changes
// nothing that a program may rely on.
#include <pthread.h>

#include "check.h"

static int total;

static void included(int depth, pthread_t thread) {
  CHECK(omp_in_final());
  CHECK(pthread_equal(thread, pthread_self()));
  add_one(&total);
  if (depth == 0) return;
  for (int i = 0; i < 3; ++i) {
    int done = 0;
#pragma omp task shared(done) mergeable
    {
      included(depth - 1, thread);
      done = 1;
    }
    CHECK_EQUAL(done, 1);
  }
}

int main(void) {
  int n = omp_get_max_threads();
  CHECK(!omp_in_final());
#pragma omp parallel
  {
    CHECK(!omp_in_final());
    for (int i = 0; i < 5; ++i) {
#pragma omp task final(1)
      included(4, pthread_self());
#pragma omp task final(0)
      CHECK(!omp_in_final());
#pragma omp task mergeable
      CHECK(!omp_in_final());
    }
  }
  CHECK_EQUAL(total, 5 * n * (1 + 3 + 9 + 27 + 81));
  // The condition at run time, and if together with final.
  int finals = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 100; ++i) {
#pragma omp task final(i % 4 == 0) if (i % 2) shared(finals)
    {
      CHECK_EQUAL(omp_in_final(), i % 4 == 0);
      if (omp_in_final()) add_one(&finals);
    }
  }
  CHECK_EQUAL(finals, 25);
  return check_end();
}
