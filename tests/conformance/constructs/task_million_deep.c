// A recursion of tasks a million deep, with the system's default stack: without taskwait in constant stack, with taskwait on
// as many stacks as it takes. Inside and outside of a region, with deferred and (gcc: clang calls if(0) tasks itself) with
// undeferred tasks.
// peer gcc: overflows the stack
// peer clang: overflows the stack
#include "check.h"

enum { kDeep = 1000000 };
static int reached;

static void chain(int depth) {
  add_one(&reached);
  if (depth == 0) return;
#pragma omp task firstprivate(depth)
  chain(depth - 1);
}

static int waits(int depth, int is_final) {
  volatile char local[48];
  local[7] = (char)depth;
  int below = -1;
  if (depth == 0) return 0;
#pragma omp task shared(below) firstprivate(depth, is_final) final(is_final)
  below = waits(depth - 1, is_final);
#pragma omp taskwait
  CHECK_EQUAL(below, depth - 1);
  CHECK_EQUAL(local[7], (char)depth);
  return below + 1;
}

#ifndef __clang__
static void undeferred(int depth) {
  add_one(&reached);
  if (depth == 0) return;
#pragma omp task firstprivate(depth) if (0)
  undeferred(depth - 1);
}
#endif

static void all(void) {
  reached = 0;
  // Ends with the group at the latest.
#pragma omp taskgroup
  chain(kDeep);
  CHECK_EQUAL(reached, kDeep + 1);
  CHECK_EQUAL(waits(kDeep, 0), kDeep);
  CHECK_EQUAL(waits(kDeep, 1), kDeep);
#ifndef __clang__
  reached = 0;
  undeferred(kDeep);
  CHECK_EQUAL(reached, kDeep + 1);
#endif
}

int main(void) {
#pragma omp parallel
#pragma omp single
  all();
  all();
  reached = 0;
  chain(kDeep);
  CHECK_EQUAL(reached, kDeep + 1);
  return check_end();
}
