// Known work: the thread keeps its CPU busy until so many milliseconds have passed by the clock.
#pragma once
#include <time.h>

static double now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static __attribute__((noinline)) void busy_ms(double ms) {
  const double end = now_ms() + ms;
  while (now_ms() < end) {
  }
}
