// cancel parallel: threads leave at cancellation points and barriers, sleeping ones too; the region after is a right one;
// tasks; regions inside. Off, nothing of it happens.
// run on: OMP_CANCELLATION=true
// run off: OMP_CANCELLATION=false
// run default:
// peer clang.on: libomp 19 hangs with four threads
#include "check.h"

static int on;

static void right_region(void) {
  int arrived = 0, n = omp_get_max_threads();
#pragma omp parallel
  {
    add_one(&arrived);
#pragma omp barrier
    CHECK_EQUAL(value_of(&arrived), n);
#pragma omp cancellation point parallel
#pragma omp barrier
    add_one(&arrived);
  }
  CHECK_EQUAL(arrived, 2 * n);
}

// Thread k cancels instead of coming to the barrier: some sleep there already, some come later.
static void at_barrier(int k, int nap) {
  int n = omp_get_max_threads(), before = 0, behind = 0, left = 0;
#pragma omp parallel
  {
    int me = omp_get_thread_num();
    if (nap && me % 2) nap_us(nap);
    add_one(&before);
#pragma omp cancel parallel if (me == k)
#pragma omp barrier
    add_one(&behind);
#pragma omp barrier
    add_one(&left);
  }
  CHECK(on ? before >= 1 && before <= n : before == n);
  CHECK_EQUAL(behind, on ? 0 : n);
  CHECK_EQUAL(left, on ? 0 : n);
}

// Some are through the barrier when it happens.
static void between_barriers(void) {
  int n = omp_get_max_threads(), before = 0, behind = 0;
#pragma omp parallel
  for (int i = 0; i < 6; ++i) {
    add_one(&before);
#pragma omp barrier
#pragma omp cancel parallel if (i == 3 && omp_get_thread_num() == n / 2)
    if (i > 3) add_one(&behind);
  }
  CHECK(before >= (on ? 3 * n + 1 : 6 * n));
  CHECK_EQUAL(behind, on ? 0 : 2 * n);
}

// A loop that waits for the cancel at its cancellation points.
static void polled(void) {
  int seen = 0, n = omp_get_max_threads();
#pragma omp parallel
  {
    if (omp_get_thread_num() == n - 1) {
      nap_us(200);
#pragma omp cancel parallel
    }
    for (int i = 0; i < 100000 && (on || i < 3); ++i) {
#pragma omp cancellation point parallel
      nap_us(50);
    }
    add_one(&seen);
  }
  CHECK_EQUAL(seen, on ? 0 : n);
}

// Worksharing and its end on the way; a loop without a wait.
static void in_constructs(void) {
  int n = omp_get_max_threads(), behind = 0;
#pragma omp parallel
  {
    int me = omp_get_thread_num();
#pragma omp for schedule(dynamic) nowait
    for (int i = 0; i < 20; ++i) nap_us(1);
#pragma omp cancel parallel if (me == n - 1)
#pragma omp for schedule(static)
    for (int i = 0; i < n; ++i) nap_us(1);
    add_one(&behind);
#pragma omp sections
    {
#pragma omp section
      nap_us(1);
    }
#pragma omp single
    nap_us(1);
  }
  CHECK_EQUAL(behind, on ? 0 : n);
}

// Tasks that have started end, others may be discarded, and the region waits for them.
static void with_tasks(void) {
  int started = 0, ended = 0, made = 0, n = omp_get_max_threads();
#pragma omp parallel
  {
    for (int i = 0; i < 100; ++i) {
      add_one(&made);
#pragma omp task shared(started, ended)
      {
        add_one(&started);
#pragma omp task shared(started, ended)
        {
          add_one(&started);
          nap_us(5);
          add_one(&ended);
        }
        nap_us(5);
        add_one(&ended);
      }
#pragma omp cancel parallel if (i == 50)
    }
#pragma omp barrier
  }
  CHECK_EQUAL(started, ended);
  CHECK_EQUAL(made > 50, 1);
  if (!on) CHECK_EQUAL(ended, 200 * n);
  CHECK(ended <= 2 * made);
}

static void inner_only(void) {
  int outer = 0, inner = 0;
#pragma omp parallel num_threads(2)
  {
#pragma omp parallel num_threads(2)
    {
#pragma omp cancel parallel
      add_one(&inner);
    }
#pragma omp cancellation point parallel
#pragma omp barrier
    add_one(&outer);
  }
  CHECK(outer >= 1 && outer <= 2);
  CHECK(on ? inner == 0 : inner >= 1);
}

int main(void) {
  on = omp_get_cancellation();
  omp_set_max_active_levels(2);
  int n = omp_get_max_threads();
  for (int round = 0; round < 30; ++round) {
    at_barrier(round % n, round % 3 * 100);
    right_region();
    if (round % 2) between_barriers();
    in_constructs();
    if (round % 3 == 0) right_region();
    polled();
    with_tasks();
    inner_only();
  }
  right_region();
  return check_end();
}
