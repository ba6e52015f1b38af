/* One thread waits for its tasks, and half of them lie with the other, which waits for the first where it can run nothing: for its
 * turn, for a lock, asleep in a region inside. Who waits for the tasks has to fetch them. argv[1]: what the other waits in. */
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

enum { kRounds = 10, kTasks = 4 };
static int sum;

/* They count as children, in a group, or as what comes before. */
static void tasks(int round) {
  int x = 0; /* only its address counts */
  (void)x;
  if (round % 3 == 0) {
#pragma omp taskgroup
    for (int i = 0; i < kTasks; i++) {
#pragma omp task
#pragma omp atomic
      sum++;
    }
    return;
  }
  for (int i = 0; i < kTasks; i++) {
#pragma omp task depend(in : x)
#pragma omp atomic
    sum++;
  }
  if (round % 3 == 1) {
#pragma omp taskwait
  } else {
#pragma omp taskwait depend(out : x)
  }
}

static void in_ordered(void) {
#pragma omp for ordered schedule(static, 1)
  for (int v = 0; v < 2 * kRounds; v++) {
#pragma omp ordered
    tasks(v);
  }
}

static void in_doacross(void) {
#pragma omp for ordered(1) schedule(static, 1)
  for (int v = 0; v < 2 * kRounds; v++) {
#pragma omp ordered depend(sink : v - 1)
    tasks(v);
#pragma omp ordered depend(source)
  }
}

/* They take turns: v's thread makes tasks while it has the lock, and the other comes for the lock when it is taken. */
static int taken;
static int makes(int v) { return v % 2 == omp_get_thread_num(); }
static void tasks_in_lock(int v) {
#pragma omp atomic write
  taken = v + 1;
  tasks(v);
}
static void until_taken(int v) {
  for (int seen = 0; seen <= v;) {
#pragma omp atomic read
    seen = taken;
    sched_yield();
  }
}

static void in_critical(void) {
  for (int v = 0; v < 2 * kRounds; v++) {
    const int mine = makes(v);
    if (!mine) until_taken(v);
#pragma omp critical
    if (mine) tasks_in_lock(v);
  }
}

static omp_lock_t lock;
static void in_lock(void) {
  for (int v = 0; v < 2 * kRounds; v++) {
    const int mine = makes(v);
    if (!mine) until_taken(v);
    omp_set_lock(&lock);
    if (mine) tasks_in_lock(v);
    omp_unset_lock(&lock);
  }
}

static omp_nest_lock_t nest_lock;
static void in_nest_lock(void) {
  for (int v = 0; v < 2 * kRounds; v++) {
    const int mine = makes(v);
    if (!mine) until_taken(v);
    omp_set_nest_lock(&nest_lock);
    if (mine) tasks_in_lock(v);
    omp_unset_nest_lock(&nest_lock);
  }
}

/* Loops ahead of the first thread, more than there is room for. */
static void in_loops(void) {
  for (int v = 0; v < 2 * kRounds; v++) {
    if (omp_get_thread_num() == 0) tasks(v);
    for (int k = 0; k < 20; k++) {
#pragma omp for schedule(dynamic) nowait
      for (int i = 0; i < 2; i++) {
      }
    }
#pragma omp barrier
  }
}

/* In the barrier of a region inside, where another thread waits for the lock. */
static void in_region(void) {
  static int inside;
  for (int v = 0; v < 2 * kRounds; v++) {
    if (omp_get_thread_num() == 0) {
      omp_set_lock(&lock);
#pragma omp atomic write
      inside = 1;
      tasks(v);
      omp_unset_lock(&lock);
    } else {
      for (int seen = 0; !seen;) {
#pragma omp atomic read
        seen = inside;
        sched_yield();
      }
#pragma omp parallel num_threads(2)
      if (omp_get_thread_num() == 1) {
        omp_set_lock(&lock);
        omp_unset_lock(&lock);
      }
      inside = 0;
    }
#pragma omp barrier
  }
}

/* In a lock that is not OpenMP's: the other is there all the time. */
static void in_program(void) {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  const int mine = makes(0);
  if (!mine) until_taken(0);
  pthread_mutex_lock(&mutex);
  for (int v = 0; mine && v < 2 * kRounds; v++) tasks_in_lock(v);
  pthread_mutex_unlock(&mutex);
}

static const struct {
  const char* name;
  void (*run)(void);
} kinds[] = {{"ordered", in_ordered}, {"doacross", in_doacross}, {"critical", in_critical}, {"lock", in_lock},
             {"nest_lock", in_nest_lock}, {"loops", in_loops}, {"region", in_region}, {"program", in_program}};

int main(int count, char** words) {
  void (*run)(void) = NULL;
  for (unsigned k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
    if (count == 2 && !strcmp(words[1], kinds[k].name)) run = kinds[k].run;
  if (!run) return 2;
  omp_init_lock(&lock);
  omp_init_nest_lock(&nest_lock);
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
  run();
  printf("%d\n", sum);
  return sum != 2 * kRounds * kTasks;
}
