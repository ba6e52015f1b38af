// schedule(dynamic) with very many short iterations and a few long ones among them: each runs once, whichever thread's batch
// it was in; the long ones do not wait for each other; lastprivate is the last iteration's.
#include "check.h"

enum { kIterations = 100000 };
static int runs[kIterations];

static void all_ran_once(int n) {
  int wrong = 0;
  for (int i = 0; i < n; ++i) {
    wrong += runs[i] != 1;
    runs[i] = 0;
  }
  CHECK_EQUAL(wrong, 0);
}

int main(void) {
  int threads = omp_get_max_threads();

  for (int round = 0; round < 20; ++round) {
    int last = -1, n = kIterations - round * 37;
#pragma omp parallel for schedule(dynamic) lastprivate(last)
    for (int i = 0; i < n; ++i) {
      add_one(&runs[i]);
      last = i;
    }
    CHECK_EQUAL(last, n - 1);
    all_ran_once(n);
  }

  // Two long iterations side by side, which short ones before them have put into one batch: each waits for the other.
  if (threads > 1) {
    for (int round = 0; round < 20; ++round) {
      int waiting = 0, last = -1, first_long = 20000 + round * 1001;
#pragma omp parallel for schedule(dynamic) lastprivate(last)
      for (int i = 0; i < kIterations; ++i) {
        add_one(&runs[i]);
        if (i == first_long || i == first_long + 1) {
          add_one(&waiting);
          CHECK(wait_until(&waiting, 2));
        }
        last = i;
      }
      CHECK_EQUAL(last, kIterations - 1);
      all_ran_once(kIterations);
    }
  }

  // Chunks, both directions, and loops one after the other without a barrier between them.
  int sum = 0;
#pragma omp parallel reduction(+ : sum)
  for (int round = 0; round < 40; ++round) {
#pragma omp for schedule(dynamic, 7) nowait
    for (int i = 10000; i > 0; i -= 3) sum += i % 5;
#pragma omp for schedule(nonmonotonic : dynamic, 3) nowait
    for (unsigned long long i = 0; i < 5000; ++i) sum += (int)(i % 3);
  }
  int expected = 0;
  for (int i = 10000; i > 0; i -= 3) expected += i % 5;
  for (int i = 0; i < 5000; ++i) expected += i % 3;
  CHECK_EQUAL(sum, 40 * expected);
  return check_end();
}
