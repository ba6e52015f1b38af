// Tied tasks stay on their thread. While an explicit tied task waits in taskwait, its thread starts only descendants of it
// (OpenMP 5.1, 2.12.6): a task that takes a lock around a taskwait would block itself otherwise.
#include <pthread.h>

#include "check.h"

enum { kNoTask = -1, kTasks = 200, kDepth = 64 };

// The tasks suspended in a taskwait on this thread, and each task's parent.
static __thread int suspended[kDepth], depth;
static int parent_of[kTasks * 5 + 1];

static int descends(int task, int ancestor) {
  while (task != kNoTask && task != ancestor) task = parent_of[task];
  return task == ancestor;
}

static void enter(int task) {
  for (int i = 0; i < depth; ++i) CHECK(descends(task, suspended[i]));
}

static void leaf(int task) {
  enter(task);
  if (task % 7 == 0) nap_us(10);
}

static void branch(int task) {
  enter(task);
  pthread_t thread = pthread_self();
  for (int i = 0; i < 4; ++i) {
    int child = kTasks + task * 4 + i;
    parent_of[child] = task;
#pragma omp task firstprivate(child)
    leaf(child);
  }
  CHECK(depth < kDepth);
  suspended[depth++] = task;
#pragma omp taskwait
  --depth;
  CHECK(pthread_equal(thread, pthread_self()));
#pragma omp taskyield
  CHECK(pthread_equal(thread, pthread_self()));
}

int main(void) {
  for (int round = 0; round < 10; ++round) {
#pragma omp parallel
#pragma omp single
    for (int t = 0; t < kTasks; ++t) {
      parent_of[t] = kNoTask;
#pragma omp task firstprivate(t)
      branch(t);
    }
  }
  // The lock that only works because of the rule.
  omp_lock_t lock;
  omp_init_lock(&lock);
  int done = 0;
#pragma omp parallel
#pragma omp single
  for (int t = 0; t < 100; ++t) {
#pragma omp task shared(lock, done)
    {
      omp_set_lock(&lock);
#pragma omp task shared(done)
      add_one(&done);
#pragma omp task shared(done)
      add_one(&done);
#pragma omp taskwait
      omp_unset_lock(&lock);
    }
  }
  CHECK_EQUAL(done, 200);
  omp_destroy_lock(&lock);
  return check_end();
}
