// task: each once, with its own copies of firstprivate data (scalars, arrays, large and over-aligned structures) taken
// when the task was made, whatever becomes of the originals.
#include "check.h"

struct Large {
  long values[1000];
};
struct Aligned {
  _Alignas(64) int value;
};

enum { kTasks = 400 };

static void make(int i, int *runs, long *sum) {
  struct Large large;
  for (int k = 0; k < 1000; ++k) large.values[k] = i + k;
  struct Aligned aligned = {i};
  char text[7] = "abcdef";
  text[i % 6] = '#';
  char one = (char)i;
#pragma omp task firstprivate(i, large, aligned, text, one, runs, sum)
  {
    add_one(&runs[i]);
    for (int k = 0; k < 1000; ++k) CHECK_EQUAL(large.values[k], i + k);
    CHECK_EQUAL(aligned.value, i);
    CHECK_EQUAL((uintptr_t)&aligned % 64, 0);
    for (int k = 0; k < 6; ++k) CHECK_EQUAL(text[k], k == i % 6 ? '#' : 'a' + k);
    CHECK_EQUAL(one, (char)i);
    large.values[0] = -1;
    text[0] = 'x';
    long all = 0;
    for (int k = 0; k < 1000; ++k) all += large.values[k];
#pragma omp atomic
    *sum += all;
  }
  // The task has its copies: ours may go.
  memset(&large, 0xff, sizeof large);
  aligned.value = -1;
  memset(text, 0, sizeof text);
}

int main(void) {
  static int runs[kTasks];
  long sum = 0, expected = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < kTasks; ++i) make(i, runs, &sum);
  for (int i = 0; i < kTasks; ++i) {
    CHECK_EQUAL(runs[i], 1);
    expected += 999L * i + 499500 - 1;
  }
  CHECK_EQUAL(sum, expected);
  // private and default clauses.
  int untouched = 5, seen = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task private(untouched) default(shared)
    {
      untouched = 6;
      seen = untouched;
    }
  }
  CHECK_EQUAL(untouched, 5);
  CHECK_EQUAL(seen, 6);
  return check_end();
}
