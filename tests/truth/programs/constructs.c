// A little of every construct that leaves something of its own in a recording, for the reader of tests/truth/reader:
// only the recording tells its times. Each grain works for 20 to 200 us.
#include <omp.h>
#include "busy.h"

static void work(int n) { busy_ms(0.02 * (1 + n % 10)); }

static void loops(void) {
#pragma omp parallel
  {
#pragma omp for schedule(dynamic, 3) nowait
    for (int i = 0; i < 40; ++i) work(i);
#pragma omp for schedule(guided, 2)
    for (int i = 0; i < 60; ++i) work(i * 7);
    work(omp_get_thread_num());
#pragma omp for schedule(static)
    for (int i = 0; i < 10; ++i) work(i);
#pragma omp for schedule(static, 2)
    for (int i = 0; i < 10; ++i) work(i);
#pragma omp for schedule(dynamic, 1) ordered
    for (int i = 0; i < 12; ++i) {
      work(i);
      if (i % 4) {
#pragma omp ordered
        work(i);
      }
      work(1);
    }
#pragma omp sections
    {
#pragma omp section
      work(3);
#pragma omp section
      work(4);
#pragma omp section
      work(5);
    }
#pragma omp for schedule(dynamic, 1)
    for (int i = 0; i < 6; ++i) {
      work(i);
#pragma omp task
      work(i);
      work(1);
      if (i % 2) {
#pragma omp taskwait
        work(2);
      }
    }
  }
}

static void tree(int depth) {
  work(depth);
  if (depth == 0) return;
#pragma omp task
  tree(depth - 1);
#pragma omp task untied
  {
    tree(depth - 1);
#pragma omp taskyield
    work(1);
  }
  if (depth % 2) {
#pragma omp taskwait
    work(depth);
  }
}

static void tasks(void) {
  static int item[8];
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup
    tree(4);
    tree(3);
#pragma omp task if (0)
    tree(2);
#pragma omp task final(1)
    tree(2);
#pragma omp taskwait
    work(1);
#pragma omp taskloop grainsize(3)
    for (int i = 0; i < 20; ++i) work(i);
#pragma omp taskloop num_tasks(4) nogroup
    for (int i = 0; i < 20; ++i) work(i);
    for (int step = 0; step < 3; ++step) {
      for (int i = 1; i < 8; ++i) {
#pragma omp task depend(in : item[i - 1]) depend(inout : item[i])
        work(i);
      }
#pragma omp task depend(mutexinoutset : item[3])
      work(1);
#pragma omp task depend(mutexinoutset : item[3])
      work(2);
    }
#pragma omp taskwait depend(in : item[3])
    work(2);
#pragma omp task if (0) depend(inout : item[5])
    work(2);
  }
}

static void locks(void) {
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel
  for (int i = 0; i < 5; ++i) {
    work(i);
    omp_set_lock(&lock);
    work(1);
    omp_unset_lock(&lock);
#pragma omp critical(first)
    work(2);
#pragma omp barrier
    work(i + omp_get_thread_num());
#pragma omp single
    work(3);
  }
  omp_destroy_lock(&lock);
}

static void nested(void) {
  omp_set_max_active_levels(2);
#pragma omp parallel
  {
    work(2);
#pragma omp parallel num_threads(2)
    {
      work(omp_get_thread_num());
#pragma omp for schedule(dynamic, 1)
      for (int i = 0; i < 4; ++i) work(i);
    }
    work(3);
#pragma omp single
#pragma omp task
#pragma omp parallel num_threads(1)
    work(4);
  }
}

int main(void) {
#pragma omp task
  work(5);  // outside of all regions
  for (int i = 0; i < 2; ++i) {
    loops();
    work(2);
    tasks();
    locks();
    nested();
  }
  return 0;
}
