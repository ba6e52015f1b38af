// Programs that measure their own truth, by the clock: for how long their threads worked, waited for each other and
// were blocked, and how long their longest path is. The argument names one; it prints one line of JSON, in ms.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "busy.h"

enum { kThreads = 64, kPhases = 64 };
static double worked, on_cpu, waited, blocked;  // of all threads
static double before, longest;                  // outside of regions; the longest path in them
static double part[kPhases][kThreads];           // work between two barriers

static double cpu_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static double work(double ms) {
  const double begin = now_ms(), cpu = cpu_ms();
  busy_ms(ms);
  const double took = now_ms() - begin, used = cpu_ms() - cpu;
#pragma omp atomic
  worked += took;
#pragma omp atomic
  on_cpu += used;
  return took;
}

static void add_since(double begin, double *sum) {
  const double took = now_ms() - begin;
#pragma omp atomic
  *sum += took;
}

static void barrier(void) {
  const double begin = now_ms();
#pragma omp barrier /* BARRIER */
  add_since(begin, &waited);
}

// The longest part of each phase is on the longest path.
static void phase(int number, double ms) {
  part[number][omp_get_thread_num()] += work(ms);
  barrier();
}

// As much before the region as in it, on two threads.
static void serial(void) {
  const double begin = now_ms();
  busy_ms(120);
  before = now_ms() - begin;
#pragma omp parallel /* REGION */
  {
    barrier();
    phase(0, 60);
  }
}

// In every second phase each thread has four times as much to do as the other: even in total.
static void alternating(void) {
#pragma omp parallel
  {
    barrier();
    for (int step = 0; step < 20; ++step) phase(step, (omp_get_thread_num() + step) % 2 ? 2 : 8);
  }
}

// One thread has nothing to do for most of the time.
static void idle(void) {
#pragma omp parallel
  {
    barrier();
    phase(0, omp_get_thread_num() ? 20 : 100);
  }
}

// Nearly all of the work is in one critical construct: a bound of its own, which the longest path does not have.
static void critical(void) {
#pragma omp parallel
  {
    barrier();
    for (int i = 0; i < 15; ++i) {
      part[0][omp_get_thread_num()] += work(1);
      const double begin = now_ms();
#pragma omp critical(one) /* CRITICAL */
      {
        add_since(begin, &blocked);
        part[0][omp_get_thread_num()] += work(4);
      }
    }
    barrier();
  }
}

static void in_order(void) {
#pragma omp parallel
  {
    barrier();
    double last = now_ms();
#pragma omp for ordered schedule(dynamic, 1)
    for (int i = 0; i < 30; ++i) {
      const double parallel = work(1), begin = now_ms();
      if (i == 0) longest += parallel;
#pragma omp ordered /* ORDERED */
      {
        add_since(begin, &blocked);
        longest += work(3);
      }
      last = now_ms();
    }
    add_since(last, &waited);
  }
}

// The first half of the iterations, which one thread takes at once, has three quarters of the work.
static void guided(void) {
#pragma omp parallel
  {
    barrier();
    double last = now_ms();
#pragma omp for schedule(guided) /* GUIDED */
    for (int i = 0; i < 64; ++i) {
      const double took = work(0.08 * (64 - i));
      if (i < 32) longest += took;
      last = now_ms();
    }
    add_since(last, &waited);
  }
}

// A region of two threads in each of ten regions of one.
static void nested(void) {
  omp_set_max_active_levels(2);
  for (int i = 0; i < 10; ++i) {
#pragma omp parallel num_threads(1)
    {
      longest += work(4);
#pragma omp parallel num_threads(2)
      {
        barrier();
        phase(i, omp_get_thread_num() ? 4 : 12);
      }
    }
  }
}

// Tasks with if(0), one after the other, and beside them one that is deferred.
static void undeferred(void) {
  double last = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task shared(last)
    {
      work(40);
      last = now_ms();
    }
    for (int i = 0; i < 10; ++i) {
#pragma omp task if (0) /* UNDEFERRED */
      longest += work(6);
    }
  }
  add_since(last, &waited);
}

// Nothing but work, on all threads, even.
static void even(void) {
#pragma omp parallel
  {
    barrier();
    phase(0, 150);
  }
}

int main(int argc, char **argv) {
  const struct { const char *name; void (*run)(void); } all[] = {
      {"serial", serial}, {"alternating", alternating}, {"critical", critical}, {"ordered", in_order}, {"guided", guided},
      {"idle", idle}, {"nested", nested}, {"undeferred", undeferred}, {"even", even}};
  for (unsigned i = 0; i < sizeof all / sizeof *all; ++i)
    if (argc > 1 && !strcmp(argv[1], all[i].name)) {
      all[i].run();
      for (int p = 0; p < kPhases; ++p) {
        double most = 0;
        for (int t = 0; t < kThreads; ++t) most = part[p][t] > most ? part[p][t] : most;
        longest += most;
      }
      printf("{\"work\": %.6f, \"cpu\": %.6f, \"waited\": %.6f, \"blocked\": %.6f, \"before\": %.6f, \"longest\": %.6f}\n", worked, on_cpu,
             waited, blocked, before, longest);
      return 0;
    }
  return 2;
}
