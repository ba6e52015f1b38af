/* A team of 64 threads with nothing to do uses under 1 % of a CPU: idle outside|barrier|taskwait MILLISECONDS MOST
 *   outside   the region is over, the program does something else (it sleeps)
 *   barrier   one thread is busy (it sleeps), the others wait for it
 *   taskwait  one thread is in a task, its creator waits for it, the others wait for more
 * MOST: of the whole process, in milliseconds. */
// seconds: 20
// run outside: -- outside 2000 20
// run barrier: -- barrier 2000 20
// run taskwait: -- taskwait 2000 20
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { kThreads = 64 };

static long milliseconds;
static double spent;

static double cpu_milliseconds(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return 1e3 * (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-3 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/* What a thread does before it goes to sleep is not counted as idling: half a second for 64 threads on one busy CPU. */
static void look_on(void) {
  usleep(500 * 1000);
  double before = cpu_milliseconds();
  usleep((useconds_t)milliseconds * 1000);
  spent = cpu_milliseconds() - before;
}

int main(int argc, char **argv) {
  const char *what = argc == 4 ? argv[1] : "";
  if (argc == 4) milliseconds = atol(argv[2]);
  if (!strcmp(what, "outside")) {
#pragma omp parallel num_threads(kThreads)
    __asm__ volatile("" ::: "memory");
    look_on();
  } else if (!strcmp(what, "barrier")) {
#pragma omp parallel num_threads(kThreads)
#pragma omp single
    look_on();
  } else if (!strcmp(what, "taskwait")) {
#pragma omp parallel num_threads(kThreads)
#pragma omp single
    {
#pragma omp task
      look_on();
#pragma omp taskwait
    }
  } else {
    fprintf(stderr, "usage: idle outside|barrier|taskwait MILLISECONDS MOST\n");
    return 2;
  }
  printf("%.3f ms of CPU time in %ld ms\n", spent, milliseconds);
  return spent > atof(argv[3]);
}
