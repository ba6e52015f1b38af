// cancel for and cancel sections: no more iterations once the threads have seen it; the construct's end holds; the next
// construct is whole. Off, nothing of it happens.
// run on: OMP_CANCELLATION=true
// run off: OMP_CANCELLATION=false
// run runtime: OMP_CANCELLATION=true OMP_SCHEDULE=guided,2
// peer clang.on: libomp 19 forgets a cancelled loop only where the region has a cancel of its own
// peer clang.runtime: the same
#include "check.h"

static int on;
enum { kIterations = 2000, kAt = 300 };

// A thread that has seen the cancel starts no iteration; at most one was under way on each of the others.
#define LOOP(clauses)                                                  \
  {                                                                    \
    _Pragma("omp single") done = 0, canceller = -1;                    \
    _Pragma(clauses) for (int i = 0; i < kIterations; ++i) {           \
      _Pragma("omp cancellation point for") int mine = add_one(&done); \
      if (mine == kAt) set_to(&canceller, omp_get_thread_num());       \
      _Pragma("omp cancel for if(mine == kAt)") if (mine > kAt && on) nap_us(20); \
    }                                                                  \
    if (on) {                                                          \
      CHECK(done >= kAt && done < kAt + per_thread * n);               \
    } else {                                                           \
      CHECK_EQUAL(done, kIterations);                                  \
    }                                                                  \
    CHECK(canceller >= 0);                                             \
    _Pragma("omp barrier")                                             \
  }

static void whole_loop(void) {
  static int count;
#pragma omp single
  count = 0;
#pragma omp for schedule(dynamic)
  for (int i = 0; i < 50; ++i) {
#pragma omp cancellation point for
    add_one(&count);
  }
  CHECK_EQUAL(count, 50);
#pragma omp barrier
}

static void loops(void) {
  static int done, canceller;
  // Between the canceller's count and its cancel others may go on: it may even lose its CPU there.
  const int per_thread = kIterations;
#pragma omp parallel
  {
    int n = omp_get_num_threads();
    for (int round = 0; round < 5; ++round) {
      LOOP("omp for schedule(static)")
      LOOP("omp for schedule(static, 5)")
      whole_loop();
      LOOP("omp for schedule(dynamic)")
      LOOP("omp for schedule(dynamic, 7)")
      whole_loop();
      LOOP("omp for schedule(guided)")
      LOOP("omp for schedule(runtime)")
    }
  }
}

// The canceller goes first and tells the others, which must not run what they have not begun.
static void exact(void) {
  int n = omp_get_max_threads(), ran = 0, go = 0;
  for (int round = 0; round < 20; ++round) {
    ran = go = 0;
#pragma omp parallel
    {
#pragma omp for schedule(dynamic)
      for (int i = 0; i < 1000; ++i) {
        if (i > 0 && on) {
          CHECK(wait_until(&go, 1));
          nap_us(500);
        }
        add_one(&ran);
        if (i == 0) set_to(&go, 1);
#pragma omp cancel for if (i == 0)
#pragma omp cancellation point for
      }
    }
    CHECK(on ? ran >= 1 && ran <= 1000 : ran == 1000);
    (void)n;
  }
}

static void combined(void) {
  for (int round = 0; round < 20; ++round) {
    long sum = 0;
    int first = -1;
#pragma omp parallel for schedule(dynamic, 4) reduction(+ : sum)
    for (int i = 0; i < 500; ++i) {
      sum += 1;
      if (i == 77) set_to(&first, i);
#pragma omp cancel for if (i == 77)
    }
    if (!on) CHECK_EQUAL(sum, 500);
    CHECK_EQUAL(first, 77);
  }
}

static void sections(void) {
  static int ran, after;
#pragma omp parallel
  for (int round = 0; round < 20; ++round) {
#pragma omp single
    ran = after = 0;
#pragma omp sections
    {
#pragma omp section
      {
        add_one(&ran);
#pragma omp cancel sections
        add_one(&after);
      }
#pragma omp section
      {
#pragma omp cancellation point sections
        add_one(&ran);
#pragma omp cancel sections
        add_one(&after);
      }
#pragma omp section
      {
        add_one(&ran);
#pragma omp cancel sections
        add_one(&after);
      }
    }
    CHECK(on ? ran >= 1 && ran <= 3 : ran == 3);
    CHECK_EQUAL(after, on ? 0 : 3);
#pragma omp barrier
    whole_loop();
  }
}

int main(void) {
  on = omp_get_cancellation();
  loops();
  exact();
  combined();
  sections();
  return check_end();
}
