// taskwait: for the children, and only for those made so far; not for their children.
#include "check.h"

static int fib(int n) {
  if (n < 2) return n;
  int a = 0, b = 0;
#pragma omp task shared(a)
  a = fib(n - 1);
#pragma omp task shared(b)
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}

int main(void) {
  int result = 0;
  for (int round = 0; round < 20; ++round) {
#pragma omp parallel
#pragma omp single
    result = fib(14);
    CHECK_EQUAL(result, 377);
  }
  // By every thread, again and again, with no children at all now and then.
#pragma omp parallel
  {
    for (int i = 0; i < 100; ++i) {
      int done = 0;
      for (int k = 0; k < i % 7; ++k) {
#pragma omp task shared(done)
        add_one(&done);
      }
#pragma omp taskwait
      CHECK_EQUAL(done, i % 7);
#pragma omp taskwait
    }
  }
  // A grandchild may still run when the taskwait is over: here it waits for just that. Its parent is kept waiting in user
  // code until a third thread has taken it.
  if (omp_get_max_threads() > 2) {
    int over = 0, grandchild = 0, started = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task shared(over, grandchild, started)
      {
#pragma omp task shared(over, grandchild, started)
        {
          set_to(&started, 1);
          CHECK(wait_until(&over, 1));
          set_to(&grandchild, 1);
        }
        CHECK(wait_until(&started, 1));
      }
      // No task may run on this thread: that wait would not end.
      CHECK(wait_until(&started, 1));
#pragma omp taskwait
      CHECK_EQUAL(value_of(&grandchild), 0);
      set_to(&over, 1);
    }
    CHECK_EQUAL(grandchild, 1);
  }
  return check_end();
}
