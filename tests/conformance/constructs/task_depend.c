// depend: in, out, inout on single addresses and array sections; a grid whose every task follows two neighbours; the
// dependences of different creating tasks do not mix.
#include "check.h"

enum { kSide = 24, kChain = 500 };
static int grid[kSide][kSide];

static void wavefront(void) {
  memset(grid, 0, sizeof grid);
  for (int i = 0; i < kSide; ++i)
    for (int j = 0; j < kSide; ++j) {
      int *up = &grid[i ? i - 1 : 0][j], *left = &grid[i][j ? j - 1 : 0], *here = &grid[i][j];
#pragma omp task depend(in : up[0], left[0]) depend(out : here[0]) firstprivate(i, j, up, left, here)
      {
        int from_up = i ? *up : 0, from_left = j ? *left : 0;
        if ((i * kSide + j) % 37 == 0) nap_us(50);
        *here = 1 + (from_up > from_left ? from_up : from_left);
      }
    }
#pragma omp taskwait
  for (int i = 0; i < kSide; ++i)
    for (int j = 0; j < kSide; ++j) CHECK_EQUAL(grid[i][j], i + j + 1);
}

// Each link is not atomic: two at once would lose counts.
static void chain(void) {
  int value = 0;
  for (int i = 0; i < kChain; ++i) {
#pragma omp task depend(inout : value) shared(value) firstprivate(i)
    {
      CHECK_EQUAL(value, i);
      value = i + 1;
    }
  }
#pragma omp taskwait
  CHECK_EQUAL(value, kChain);
}

// Readers run between two writers, all of them.
static void readers(void) {
  int value = 0, reads = 0;
  for (int round = 1; round <= 20; ++round) {
#pragma omp task depend(out : value) shared(value, reads) firstprivate(round)
    {
      CHECK_EQUAL(reads, (round - 1) * 10);
      nap_us(20);
      value = round;
    }
    for (int i = 0; i < 10; ++i) {
#pragma omp task depend(in : value) shared(value, reads) firstprivate(round)
      {
        CHECK_EQUAL(value, round);
        add_one(&reads);
      }
    }
  }
#pragma omp taskwait
  CHECK_EQUAL(reads, 200);
}

// Named twice in one task: that does not wait for itself.
static void twice(void) {
  int value = 0;
  for (int i = 0; i < 50; ++i) {
#pragma omp task depend(in : value) depend(out : value) shared(value)
    value++;
#pragma omp task depend(inout : value) depend(in : value) shared(value)
    value++;
  }
#pragma omp taskwait
  CHECK_EQUAL(value, 100);
}

// Siblings only: a child's dependences order nothing among its parent's siblings.
static void generations(void) {
  int value = 0, done = 0;
  for (int i = 0; i < 8; ++i) {
#pragma omp task shared(value, done)
    {
      int mine = 0;
      for (int j = 0; j < 20; ++j) {
#pragma omp task depend(inout : value) shared(mine, value)
        mine++;
      }
#pragma omp taskwait
      CHECK_EQUAL(mine, 20);
      add_one(&done);
    }
  }
#pragma omp taskwait
  CHECK_EQUAL(done, 8);
}

// An undeferred task waits for its predecessors, and for them only.
static void undeferred(void) {
  int value = 0;
  for (int i = 0; i < 20; ++i) {
#pragma omp task depend(out : value) shared(value)
    {
      nap_us(100);
      value++;
    }
#pragma omp task depend(inout : value) if (0) shared(value)
    value++;
    CHECK_EQUAL(value, 2 * i + 2);
  }
}

int main(void) {
#pragma omp parallel
#pragma omp single
  {
    wavefront();
    chain();
    readers();
    twice();
    generations();
    undeferred();
  }
  return check_end();
}
