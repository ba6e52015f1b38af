// cancel taskgroup: tasks that have not started never run, those that have end at their next cancellation point; groups
// inside and outside; depend; taskloop; what comes after is whole. Off, nothing of it happens.
// run on: OMP_CANCELLATION=true
// run off: OMP_CANCELLATION=false
// peer clang.on: libomp 19 hangs with two threads or more, though not in each part alone
#include "check.h"

static int on;

// At most one task a thread had begun when it happened.
static void flat(void) {
  int n = omp_get_num_threads(), ran = 0, behind = 0;
#pragma omp taskgroup
  {
    for (int i = 0; i < 300; ++i) {
#pragma omp task shared(ran, behind)
      {
#pragma omp cancellation point taskgroup
        int mine = add_one(&ran);
#pragma omp cancel taskgroup if (mine >= 10)
        if (mine >= 10) add_one(&behind);
      }
    }
  }
  CHECK(on ? ran <= 10 + n : ran == 300);
  CHECK_EQUAL(behind, on ? 0 : 291);
  ran = 0;
#pragma omp taskgroup
  {
    for (int i = 0; i < 20; ++i) {
#pragma omp task shared(ran)
      {
#pragma omp cancellation point taskgroup
        add_one(&ran);
      }
    }
  }
  CHECK_EQUAL(ran, 20);
}

// The first to find it stops the search.
static int found;
static void search(int node, int depth) {
  if (depth == 0) return;
  for (int i = 0; i < 2; ++i) {
#pragma omp task firstprivate(node, depth, i)
    {
#pragma omp cancellation point taskgroup
      if (2 * node + i == 1234) {
        set_to(&found, 1234);
#pragma omp cancel taskgroup
      }
      search(2 * node + i, depth - 1);
    }
  }
#pragma omp taskwait
}

static void chain(void) {
  int ran = 0, word = 0, n = omp_get_num_threads();
#pragma omp taskgroup
  {
    for (int i = 0; i < 100; ++i) {
#pragma omp task depend(inout : word) shared(ran, word)
      {
        int mine = add_one(&ran);
        if (word != mine - 1) CHECK(0);
        word = mine;
#pragma omp cancel taskgroup if (mine == 5)
      }
    }
  }
  CHECK_EQUAL(ran, on ? 5 : 100);
  (void)n;
}

// A group inside a cancelled one is cancelled too; one beside it is not.
static void nested(void) {
  int inside = 0, beside = 0;
#pragma omp taskgroup
  {
#pragma omp task shared(beside)
    {
#pragma omp taskgroup
      {
        for (int i = 0; i < 50; ++i) {
#pragma omp task shared(beside)
          {
            add_one(&beside);
#pragma omp cancel taskgroup if (i == 3)
          }
        }
      }
    }
    for (int i = 0; i < 50; ++i) {
#pragma omp task shared(inside)
      add_one(&inside);
    }
  }
  CHECK_EQUAL(inside, 50);
  CHECK(on ? beside >= 1 && beside <= 50 : beside == 50);
}

static void loop(void) {
  int ran = 0, n = omp_get_num_threads();
#pragma omp taskloop grainsize(1) shared(ran)
  for (int i = 0; i < 60; ++i) {
    int mine = add_one(&ran);
#pragma omp cancel taskgroup if (mine >= 7)
  }
  CHECK(on ? ran >= 7 && ran <= 7 + 2 * n : ran == 60);
}

// No group at all: cancel ends the task that meets it.
static void no_group(void) {
  int ran = 0, behind = 0;
  for (int i = 0; i < 10; ++i) {
#pragma omp task shared(ran, behind)
    {
      add_one(&ran);
#pragma omp cancellation point taskgroup
      add_one(&behind);
    }
  }
#pragma omp taskwait
  CHECK_EQUAL(ran, 10);
  CHECK_EQUAL(behind, 10);
}

int main(void) {
  on = omp_get_cancellation();
  for (int round = 0; round < 20; ++round) {
#pragma omp parallel
    {
      flat();  // a group on each thread
#pragma omp barrier
#pragma omp single
      {
        found = 0;
#pragma omp taskgroup
        {
#pragma omp task
          search(1, 10);
        }
        CHECK_EQUAL(found, 1234);
        chain();
        nested();
        loop();
        no_group();
      }
    }
  }
  return check_end();
}
