// Constructs in which one waits for another without a barrier, a taskwait or a dependence between tasks: mutexinoutset,
// iterations of doacross loops, events of detached tasks. For the reader of tests/truth/reader.
#include <omp.h>
#include "busy.h"

static void work(int n) { busy_ms(0.02 * (1 + n % 10)); }

static void exclusive(void) {
  int a = 0, b = 0;
  (void)a, (void)b;
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < 8; ++i) {
#pragma omp task depend(mutexinoutset : a)
      work(i);
#pragma omp task depend(mutexinoutset : a, b)
      work(i + 3);
#pragma omp task depend(in : b)
      work(2);
    }
#pragma omp task depend(inout : a)
    work(1);
#pragma omp task depend(mutexinoutset : a)
    work(4);
#pragma omp taskwait
#pragma omp task depend(mutexinoutset : a)
    work(5);
#pragma omp task depend(mutexinoutset : a)
    work(6);
  }
}

static void doacross(void) {
#pragma omp parallel
  {
#pragma omp for ordered(1) schedule(static, 1)
    for (int i = 0; i < 12; ++i) {
      work(i);
#pragma omp ordered depend(sink : i - 1)
      work(1);
#pragma omp ordered depend(source)
      work(3);
    }
#pragma omp for ordered(2) schedule(dynamic, 2)
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 4; ++j) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
        work(i + j);
#pragma omp ordered depend(source)
      }
  }
}

static void detached(void) {
  int x = 0;
  (void)x;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 6; ++i) {
    omp_event_handle_t event;
#pragma omp task detach(event) depend(inout : x)
    {
      work(i);
      omp_event_handle_t its = event;
      if (i == 3) {
        omp_fulfill_event(its);
        work(2);
      } else {
#pragma omp task firstprivate(its)
        {
          work(5);
          omp_fulfill_event(its);
          work(1);
        }
      }
    }
  }
}

int main(void) {
  exclusive();
  doacross();
  detached();
  return 0;
}
