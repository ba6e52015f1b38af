// One thread leaves a cancelled region; the others are in functions without a cancel of their own, which wait for each
// other: barriers, copyprivate, ordered, doacross, more loops without a barrier than the runtime keeps apart. Nothing may hang,
// and barrier and copyprivate hold for those that are left.
// run on: OMP_CANCELLATION=true
// run off: OMP_CANCELLATION=false
// peer gcc.on: libgomp 12 waits for the thread that left
// peer clang.on: libomp 19 too
#include "check.h"

static int on, arrived, behind;

static void plain_barriers(void) {
  add_one(&arrived);
#pragma omp barrier
  CHECK(value_of(&arrived) >= omp_get_num_threads() - on);
#pragma omp barrier
}

static void copies(int round) {
  int value = -1;
#pragma omp single copyprivate(value)
  {
    nap_us(100);
    value = round;
  }
  CHECK_EQUAL(value, round);
}

static void in_order(void) {
#pragma omp for ordered schedule(static, 1)
  for (int i = 0; i < 64; ++i) {
#pragma omp ordered
    add_one(&behind);
  }
}

static void across(void) {
#pragma omp for ordered(1) schedule(static, 1)
  for (int i = 0; i < 64; ++i) {
#pragma omp ordered depend(sink : i - 1)
    add_one(&behind);
#pragma omp ordered depend(source)
  }
}

static void many_loops(void) {
  for (int k = 0; k < 50; ++k) {
#pragma omp for schedule(dynamic) nowait
    for (int i = 0; i < 8; ++i) add_one(&behind);
  }
}

int main(void) {
  on = omp_get_cancellation();
  int n = omp_get_max_threads();
  for (int round = 0; round < 10; ++round) {
    arrived = behind = 0;
    int ended = 0;
#pragma omp parallel
    {
      int me = omp_get_thread_num();
      if (me == 0 && round % 2) nap_us(2000);  // the others may be asleep by then
      // Not an if clause: with that false, cancel is a cancellation point for the others.
      if (n > 1 && me == n - 1) {
#pragma omp cancel parallel
      }
      if (round % 3 == 0) plain_barriers();
      if (round % 3 == 1) in_order();
      copies(round);
      if (round % 4 == 0) across();
      many_loops();
      if (round % 3 == 2) plain_barriers();
      add_one(&ended);
    }
    CHECK_EQUAL(ended, n - (on && n > 1));
    int after = 0;
#pragma omp parallel
    {
      plain_barriers();
#pragma omp for ordered schedule(dynamic)
      for (int i = 0; i < 40; ++i) {
#pragma omp ordered
        {
          CHECK_EQUAL(after, i);
          after = i + 1;
        }
      }
    }
    CHECK_EQUAL(after, 40);
  }
  return check_end();
}
