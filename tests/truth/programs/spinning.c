// All threads work all the time, and nobody sleeps: 300 ms each. Prints how often the kernel says that they did all the same.
#define _GNU_SOURCE
#include "busy.h"

#include <stdio.h>
#include <sys/resource.h>

static long sleeps(void) {
  struct rusage use;
  getrusage(RUSAGE_THREAD, &use);
  return use.ru_nvcsw;
}

int main(void) {
  long slept = 0;
#pragma omp parallel reduction(+ : slept)
  {
    const long before = sleeps();
    busy_ms(300);
    slept = sleeps() - before;
  }
  printf("%ld\n", slept);
  return 0;
}
