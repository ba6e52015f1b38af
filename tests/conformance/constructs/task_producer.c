// One thread makes 100,000 tasks, the others help; then all threads make 20,000 each.
#include "check.h"

enum { kTasks = 100000, kEach = 20000 };
static unsigned char runs[kTasks];

int main(void) {
  int n = omp_get_max_threads(), done = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < kTasks; ++i) {
#pragma omp task firstprivate(i)
    runs[i] += 1;
  }
  for (int i = 0; i < kTasks; ++i) CHECK_EQUAL(runs[i], 1);
#pragma omp parallel
  {
    for (int i = 0; i < kEach; ++i) {
#pragma omp task shared(done)
      add_one(&done);
    }
#pragma omp taskwait
  }
  CHECK_EQUAL(done, n * kEach);
  // Bursts, with a wait each.
  done = 0;
#pragma omp parallel
#pragma omp master
  for (int burst = 0; burst < 300; ++burst) {
    for (int i = 0; i < 20; ++i) {
#pragma omp task shared(done)
      add_one(&done);
    }
#pragma omp taskwait
    CHECK_EQUAL(value_of(&done), 20 * (burst + 1));
  }
  CHECK_EQUAL(done, 6000);
  return check_end();
}
