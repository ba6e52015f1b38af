// All threads sleep in the program's own code, ten times 10 ms, with 10 ms of work before each.
#include "busy.h"

int main(void) {
#pragma omp parallel
  for (int i = 0; i < 10; ++i) {
    busy_ms(10);
    nanosleep(&(struct timespec){0, 10000000}, NULL);
  }
  return 0;
}
