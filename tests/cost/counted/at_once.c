/* Which tasks run at once: at_once KIND LEAST MOST, percent of the tasks whose creator had run them when it returned from
   creating them, by one thread for a team of two. Those that do next to nothing must mostly run as calls, with dependences,
   too: queueing one costs more than running it. Long ones must not, nor long ones among tiny ones, nor tasks that create
   tasks: the other thread would have nothing to do.
     tiny      one thread creates 200,000 tasks that do next to nothing; the other sits in a system call and asks for none
     depend    the same, each with a dependence on an address of its own; the other asks, but never gets the only CPU from the
               creator: how often it would is the kernel's business, and is another matter with each of them
     long      one thread creates 1,000 tasks of 20 us
     mixed     one thread creates 40,000 tasks, of which every twentieth takes 10 us: counts these
     tree      21,890 tasks, each of which creates two
   The runtime measures how long tasks take, so this is judged where the clock counts instructions. */
// seconds: 20
// run tiny: -- tiny 30 100
// run depend: -- depend 90 100
// run long: -- long 0 5
// run mixed: -- mixed 0 10
// run tree: -- tree 0 2
// run adaptive_tiny: EINKORN_SCHEDULE=ws-adaptive -- tiny 50 100
// run adaptive_long: EINKORN_SCHEDULE=ws-adaptive -- long 0 7
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static _Thread_local int creates;  /* this thread is the one that creates the tasks */
static volatile int creating = -1; /* the task that it makes just now */
static int at_once;

static inline void body(int i) {
  if (creates && creating == i) at_once++;
}

static void last_for(long ns) {
  struct timespec from, now;
  clock_gettime(CLOCK_MONOTONIC, &from);
  do clock_gettime(CLOCK_MONOTONIC, &now);
  while ((now.tv_sec - from.tv_sec) * 1000000000 + now.tv_nsec - from.tv_nsec < ns);
}

static int flat(int count, int every, long ns) {
  for (int i = 0; i < count; i++) {
    const int is_long = i % every == 0;
    creating = i;
#pragma omp task firstprivate(i, is_long)
    {
      if (ns == 0 || is_long) body(i);
      if (is_long && ns) last_for(ns);
    }
  }
  return ns ? count / every : count;
}

static int flat_depend(int count) {
  static char address[200000];
  (void)address; /* gcc 12 does not see that a depend clause uses it */
  for (int i = 0; i < count; i++) {
    creating = i;
#pragma omp task firstprivate(i) depend(inout : address[i])
    body(i);
  }
  return count;
}

/* A child that runs on its creator's thread before the creator has continued. */
static int tree(int n) {
  static _Thread_local char here;
  if (n < 2) return 0;
  const char *thread = &here;
  volatile int gone_on[2] = {0, 0};
  int made[2];
  for (int k = 0; k < 2; k++) {
#pragma omp task shared(made, gone_on) firstprivate(n, k, thread)
    {
      if (thread == &here && !gone_on[k]) __atomic_fetch_add(&at_once, 1, __ATOMIC_RELAXED);
      made[k] = tree(n - 1 - k);
    }
    gone_on[k] = 1;
  }
#pragma omp taskwait
  return made[0] + made[1] + 2;
}

int main(int argc, char **argv) {
  const char *kind = argc == 4 ? argv[1] : "";
  int tasks = 0, apart[2], there[2];
  char byte = 0;
  if (pipe(apart) || pipe(there)) return 2;
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 1) {
    if (write(there[1], "", 1) != 1 || (strcmp(kind, "tiny") == 0 && read(apart[0], &byte, 1) != 1)) _exit(2);
  } else {
    if (read(there[0], &byte, 1) != 1) _exit(2);
    creates = 1;
    if (strcmp(kind, "depend") == 0) {
      const struct sched_param first = {.sched_priority = 1};
      if (sched_setscheduler(0, SCHED_FIFO, &first)) perror("at_once depend: a real-time priority"), _exit(2);
      usleep(20000); /* the other gets to where it asks */
    }
    if (strcmp(kind, "tiny") == 0) tasks = flat(200000, 1, 0);
    else if (strcmp(kind, "depend") == 0) tasks = flat_depend(200000);
    else if (strcmp(kind, "long") == 0) tasks = flat(1000, 1, 20000);
    else if (strcmp(kind, "mixed") == 0) tasks = flat(40000, 20, 10000);
    else if (strcmp(kind, "tree") == 0) tasks = tree(20);
    creating = -1;
    if (write(apart[1], "", 1) != 1) _exit(2);
  }
  if (!tasks) return fprintf(stderr, "at_once tiny|depend|long|mixed|tree LEAST MOST\n"), 2;
  const double percent = 100.0 * at_once / tasks;
  printf("%.1f %% of %d tasks ran at once\n", percent, tasks);
  return percent < atof(argv[2]) || percent > atof(argv[3]);
}
