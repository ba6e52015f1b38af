// Target regions that the host runs: data, private copies, deferred ones, dependences, what a region sees of its surroundings.
// compilers: gcc
// clang without a device makes plain code of target regions, and of `nowait` with private arrays code that crashes everywhere.
#include <string.h>
#include "check.h"

static int global = 3;
#pragma omp declare target to(global)

static void data(void) {
  int a[100], sum = 0, x = 7;
  for (int i = 0; i < 100; ++i) a[i] = i;
#pragma omp target map(tofrom : sum) map(to : a) firstprivate(x)
  {
    for (int i = 0; i < 100; ++i) sum += a[i];
    sum += x + global;
    x = 0;
  }
  CHECK_EQUAL(sum, 4950 + 7 + 3);
  CHECK_EQUAL(x, 7);
#pragma omp target data map(tofrom : a)
  {
#pragma omp target
    for (int i = 0; i < 100; ++i) a[i] *= 2;
#pragma omp target update from(a)
    CHECK_EQUAL(a[50], 100);
  }
#pragma omp target enter data map(to : a)
#pragma omp target exit data map(from : a)
}

static void surroundings(void) {
  CHECK_EQUAL(omp_get_num_devices(), 0);
  CHECK(omp_is_initial_device());
  int outside = 0, inside = 0, level = -1, active = -1;
  omp_set_num_threads(3);
#pragma omp parallel num_threads(2) reduction(+ : outside)
  {
    outside += 1;
#pragma omp target map(tofrom : inside, level, active) if (target : 0)
    {
#pragma omp atomic
      inside += 1;
#ifndef __clang__  // clang without a device makes it plain code of the surrounding region
      level = omp_get_level();
      active = omp_in_parallel();
#else
      level = active = 0;
#endif
    }
  }
  CHECK_EQUAL(inside, outside);
  CHECK_EQUAL(level, 0);
  CHECK_EQUAL(active, 0);
}

static void parallel_inside(void) {
  int n = 0, sum = 0;
#pragma omp target teams distribute parallel for map(tofrom : sum) reduction(+ : sum)
  for (int i = 0; i < 1000; ++i) sum += i;
  CHECK_EQUAL(sum, 499500);
#pragma omp target parallel num_threads(3) map(tofrom : n)
#pragma omp atomic
  n += 1;
  CHECK(n >= 1 && n <= 3);
}

static void deferred(void) {
  enum { kTasks = 200 };
  static int result[kTasks];
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < kTasks; ++i) {
      int big[20];
      for (int k = 0; k < 20; ++k) big[k] = i + k;
#pragma omp target nowait firstprivate(i, big) map(tofrom : result)
      {
        int s = 0;
        for (int k = 0; k < 20; ++k) s += big[k];
        result[i] = s;
      }
      memset(big, 0, sizeof big);
    }
#pragma omp taskwait
    for (int i = 0; i < kTasks; ++i) CHECK_EQUAL(result[i], 20 * i + 190);
  }
}

static void dependences(void) {
  for (int round = 0; round < 50; ++round) {
    int x = 0, y = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task depend(out : x) shared(x)
      {
        nap_us(100);
        x = 1;
      }
#pragma omp target nowait map(tofrom : x) depend(inout : x)
      x = x * 10 + 2;
#pragma omp task depend(inout : x) shared(x)
      x = x * 10 + 3;
#pragma omp target map(tofrom : x, y) depend(in : x)
      y = x;
      CHECK_EQUAL(y, 123);
    }
  }
}

int main(void) {
  data();
  surroundings();
  parallel_inside();
  deferred();
  dependences();
  return check_end();
}
