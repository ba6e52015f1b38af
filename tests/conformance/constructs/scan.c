// reduction(inscan) with scan inclusive and exclusive: each iteration sees the sum of those before it.
// clang 19 loses the value from before the loop, under its own runtime too.
// compilers: gcc
#include "check.h"

enum { kMost = 5000 };
static int out[kMost];

static void inclusive(int n) {
  int sum = 7;
#pragma omp parallel for reduction(inscan, + : sum)
  for (int i = 0; i < n; ++i) {
    sum += i % 13;
#pragma omp scan inclusive(sum)
    out[i] = sum;
  }
  int expected = 7;
  for (int i = 0; i < n; ++i) {
    expected += i % 13;
    CHECK_EQUAL(out[i], expected);
  }
  CHECK_EQUAL(sum, expected);
}

static void exclusive(int n) {
  long long sum = 0, most = -1;
#pragma omp parallel
  {
    // Twice in a region: the memory of the first is not that of the second.
    for (int repeat = 0; repeat < 2; ++repeat) {
#pragma omp single
      sum = 0, most = -1;
#pragma omp for reduction(inscan, + : sum)
      for (int i = 0; i < n; ++i) {
        out[i] = (int)sum;
#pragma omp scan exclusive(sum)
        sum += 3 * i;
      }
#pragma omp for reduction(inscan, max : most)
      for (int i = 0; i < n; ++i) {
        most = (i * 37) % 101 > most ? (i * 37) % 101 : most;
#pragma omp scan inclusive(most)
        if (most < (i * 37) % 101) check_report(__FILE__, __LINE__, "max so far", most, i);
      }
    }
  }
  int expected = 0;
  for (int i = 0; i < n; ++i) {
    CHECK_EQUAL(out[i], expected);
    expected += 3 * i;
  }
  CHECK_EQUAL(sum, expected);
}

int main(void) {
  for (int n = 0; n < kMost; n = n * 3 + 1) {
    inclusive(n);
    exclusive(n);
  }
  return check_end();
}
