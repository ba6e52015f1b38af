// Tasks that the program leaves to the runtime: sixteen, each 2 ms long. A team of one runs them at once; another may run them in parallel.
#include "busy.h"

int main(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 16; ++i) {
#pragma omp task
    busy_ms(2);
  }
  return 0;
}
