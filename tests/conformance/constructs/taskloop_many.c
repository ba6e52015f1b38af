// A taskloop with a task for each of 300,000 iterations: neither stack nor memory may run out, with one thread either.
// peer gcc: libgomp 12 keeps a list of all the tasks on its stack
#include "check.h"

int main(void) {
  enum { kIterations = 300000 };
  long sum = 0;
#pragma omp parallel
#pragma omp single
  {
    double payload[8] = {1, 2, 3, 4, 5, 6, 7, 8};
#pragma omp taskloop grainsize(1) firstprivate(payload) shared(sum)
    for (int i = 0; i < kIterations; ++i) {
#pragma omp atomic
      sum += (long)payload[i % 8];
    }
  }
  CHECK_EQUAL(sum, kIterations / 8 * 36L);
  return check_end();
}
