// cancel taskgroup in a taskloop: pieces that have not started never run, whether they are queued, run one after the
// other by the thread that meets the loop (if, a team of one), or not made yet. Off, all run.
// run on: OMP_CANCELLATION=true
// run off: OMP_CANCELLATION=false
// peer gcc.on: libgomp 12 runs the rest of a loop that is run at once
// peer clang.on: libomp 19 hangs with four threads
#include "check.h"

enum { kPieces = 60, kLast = 7 };
static int on;

// Piece by piece: all behind the one that cancels is the rest.
static void at_once(void) {
  int ran = 0, behind = 0;
#pragma omp taskloop grainsize(1) if (0) shared(ran, behind)
  for (int i = 0; i < kPieces; ++i) {
    add_one(&ran);
    if (i >= kLast) add_one(&behind);
#pragma omp cancel taskgroup if (i == kLast - 1)
  }
  CHECK_EQUAL(ran, on ? kLast : kPieces);
  CHECK_EQUAL(behind, on ? 0 : kPieces - kLast);
}

// Queued: of those that have started each thread has one, and it comes to its cancellation point.
static void queued(void) {
  int n = omp_get_num_threads(), began = 0, through = 0;
#pragma omp taskloop grainsize(1) shared(began, through)
  for (int i = 0; i < kPieces; ++i) {
    int mine = add_one(&began);
#pragma omp cancel taskgroup if (mine >= kLast)
#pragma omp cancellation point taskgroup
    add_one(&through);
  }
  CHECK(on ? began >= kLast && began < kLast + n : began == kPieces);
  CHECK(on ? through < kLast : through == kPieces);
}

// The group around it is cancelled before the loop is met, by the task itself: nothing of it runs. Off, or in a group
// that is not, all of it does.
static void before(void) {
  int ran = 0, ran_at_once = 0;
#pragma omp taskgroup
  {
#pragma omp task if (0) shared(ran, ran_at_once)
    {
      int left = 1;
#pragma omp task if (0) shared(left)
      {
        left = 0;
#pragma omp cancel taskgroup
      }
#pragma omp taskloop grainsize(1) nogroup shared(ran)
      for (int i = 0; i < kPieces; ++i) add_one(&ran);
#pragma omp taskloop grainsize(1) nogroup if (0) shared(ran_at_once)
      for (int i = 0; i < kPieces; ++i) add_one(&ran_at_once);
      CHECK_EQUAL(left, 0);
    }
  }
  CHECK_EQUAL(ran, on ? 0 : kPieces);
  CHECK_EQUAL(ran_at_once, on ? 0 : kPieces);
  ran = 0;
#pragma omp taskloop grainsize(1) shared(ran)
  for (int i = 0; i < kPieces; ++i) add_one(&ran);
  CHECK_EQUAL(ran, kPieces);
}

int main(void) {
  on = omp_get_cancellation();
  for (int one = 0; one < 2; ++one) {
#pragma omp parallel num_threads(one ? 1 : omp_get_max_threads())
#pragma omp single
    {
      for (int round = 0; round < 20; ++round) {
        at_once();
        queued();
        before();
      }
    }
  }
  return check_end();
}
