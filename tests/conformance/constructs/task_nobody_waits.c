// Trees of tasks in which no task waits for its children: parents end first, and the region's end waits for all. Random
// shapes, so that blocks are freed by other threads in any order.
#include "check.h"

static int count;

static void grow(unsigned random, int depth) {
  add_one(&count);
  if (depth == 0) return;
  for (unsigned i = 0; i < 2 + random % 3; ++i) {
    unsigned child = random * 1664525u + 1013904223u + i * 7919u;
#pragma omp task firstprivate(child, depth) if (child % 16 != 0) final(child % 31 == 0)
    grow(child >> 3, depth - 1);
  }
}

static int size_of(unsigned random, int depth) {
  int n = 1;
  if (depth == 0) return n;
  for (unsigned i = 0; i < 2 + random % 3; ++i)
    n += size_of((random * 1664525u + 1013904223u + i * 7919u) >> 3, depth - 1);
  return n;
}

int main(void) {
  for (unsigned seed = 1; seed < 12; ++seed) {
    count = 0;
#pragma omp parallel
#pragma omp single nowait
    grow(seed, 8);
    CHECK_EQUAL(count, size_of(seed, 8));
    count = 0;
    int expected = 0;
#pragma omp parallel reduction(+ : expected)
    {
      unsigned mine = seed + 100u * (unsigned)omp_get_thread_num();
      grow(mine, 5);
      expected += size_of(mine, 5);
    }
    CHECK_EQUAL(count, expected);
  }
  return check_end();
}
