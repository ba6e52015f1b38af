// Twenty iterations, each 1 ms of work that can be done in parallel, then 3 ms in an ordered section. Work 80, longest path 1 + 60:
// at most 1.31 times as fast, and the threads are blocked for the rest of the time.
#include "busy.h"

int main(void) {
#pragma omp parallel for ordered schedule(dynamic, 1)
  for (int i = 0; i < 20; ++i) {
    busy_ms(1);
#pragma omp ordered /* ORDERED */
    busy_ms(3);
  }
  return 0;
}
