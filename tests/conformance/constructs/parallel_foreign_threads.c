// Threads that the program made with pthread_create each have their own regions, all at the same time, and may end.
// peer clang: libomp 19 stops with an assertion in its allocator
#include <pthread.h>

#include "check.h"

enum { kThreads = 4, kRegions = 200 };

static void *work(void *argument) {
  int me = (int)(intptr_t)argument;
  CHECK_EQUAL(omp_get_level(), 0);
  CHECK_EQUAL(omp_get_thread_num(), 0);
  CHECK_EQUAL(omp_get_num_threads(), 1);
  for (int r = 0; r < kRegions; ++r) {
    int members = 0, tasks = 0, sum = 0, n = 1 + (me + r) % 3;
#pragma omp parallel num_threads(n) reduction(+ : sum)
    {
      add_one(&members);
#pragma omp for schedule(dynamic, 3)
      for (int i = 0; i < 50; ++i) sum += i;
#pragma omp single
      for (int i = 0; i < 5; ++i) {
#pragma omp task shared(tasks)
        add_one(&tasks);
      }
    }
    CHECK_EQUAL(members, n);
    CHECK_EQUAL(sum, 1225);
    CHECK_EQUAL(tasks, 5);
  }
  return NULL;
}

int main(void) {
  for (int generation = 0; generation < 3; ++generation) {
    pthread_t threads[kThreads];
    for (int i = 0; i < kThreads; ++i) CHECK_EQUAL(pthread_create(&threads[i], NULL, work, (void *)(intptr_t)i), 0);
    work((void *)(intptr_t)7);
    for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  }
  return check_end();
}
