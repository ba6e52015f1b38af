// taskwait depend nowait is an empty task (OpenMP 5.1, 2.19.5): a member of its taskgroup, and a predecessor of later siblings.
// compilers: clang>=17
// (gcc 12 does not know nowait there.)
#include <pthread.h>
#include "check.h"

enum { kRounds = 20 };

static void slow(int *seen) {
  nap_us(1000);
  add_one(seen);
}

// The group has nothing but the empty task, whose predecessors are outside of it.
static void ends_its_group(int readers) {
  int a = 0, seen = 0;
  for (int i = 0; i < readers; ++i) {
#pragma omp task depend(in : a) shared(seen)
    slow(&seen);
  }
#pragma omp taskgroup
  {
#pragma omp taskwait depend(inout : a) nowait
  }
  CHECK_EQUAL(value_of(&seen), readers);
#pragma omp taskgroup
  {
#pragma omp task depend(in : a) shared(seen)
    slow(&seen);
#pragma omp taskgroup
    {
#pragma omp taskwait depend(inoutset : a) nowait
#pragma omp taskwait depend(inoutset : a) nowait
    }
    CHECK_EQUAL(value_of(&seen), readers + 1);
  }
#pragma omp taskwait
}

// Without a wait of anybody's but the group around its parent, which ends before.
static void outlives_its_parent(void) {
  int a = 0, seen = 0;
#pragma omp taskgroup
  {
#pragma omp task shared(a, seen)
    {
#pragma omp task depend(out : a) shared(seen)
      slow(&seen);
#pragma omp taskwait depend(in : a) nowait
    }
  }
  CHECK_EQUAL(value_of(&seen), 1);
}

static void orders(void) {
  int a = 0, b = 0, seen = 0, ok = 0;
#pragma omp task depend(out : a) shared(seen)
  slow(&seen);
#pragma omp taskwait depend(in : a) depend(out : b) nowait
#pragma omp task depend(in : b) shared(seen, ok)
  set_to(&ok, value_of(&seen));
#pragma omp taskwait
  CHECK_EQUAL(ok, 1);
  // All predecessors have ended: nothing is left to wait for.
#pragma omp taskgroup
  {
#pragma omp taskwait depend(inout : a, b) nowait
  }
}

static omp_event_handle_t event;
static void *fulfil(void *fulfilled) {
  nap_us(1000);
  set_to(fulfilled, 1);
  omp_fulfill_event(event);
  return NULL;
}

// What ends its predecessor, and with that the empty task, is a thread that is in no team of this region.
static void ended_from_outside(void) {
  int a = 0, fulfilled = 0;
  pthread_t other;
#pragma omp task detach(event) depend(out : a)
  {}
  if (pthread_create(&other, NULL, fulfil, &fulfilled)) exit(1);
#pragma omp taskgroup
  {
#pragma omp taskwait depend(inout : a) nowait
  }
  CHECK_EQUAL(value_of(&fulfilled), 1);
  pthread_join(other, NULL);
#pragma omp taskwait
}

int main(void) {
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < kRounds; ++round) {
    ends_its_group(1);
    ends_its_group(3);
    outlives_its_parent();
    orders();
    ended_from_outside();
    // The same inside a task.
#pragma omp task
    {
      ends_its_group(2);
      outlives_its_parent();
    }
#pragma omp taskwait
  }
  return check_end();
}
