/* Ten kinds of short parallel work, to be run beside other programs (busy.py): beside KIND. Each takes a tenth of a second to half a
 * second where nobody else wants the CPUs. They differ in who waits for whom, and how often: that decides whether a thread had better
 * wait awake or leave its CPU. Prints " seconds=S ". */
#include <omp.h>
#include <string.h>

#include "measure.h"

enum { kUnit = 4000 }; /* some 8 us */

static double work(int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += 1.0 / (i + 1);
  return sum;
}

static volatile double sink;

/* Equal shares: who waits does so for a moment. */
static void equal(void) {
  for (int times = 0; times < 600; times++)
#pragma omp parallel for schedule(static)
    for (int i = 0; i < 16; i++) sink = work(kUnit);
}

/* The same with shares of a microsecond. */
static void fine(void) {
  for (int times = 0; times < 6000; times++)
#pragma omp parallel
    for (int loop = 0; loop < 8; loop++) {
#pragma omp for schedule(static)
      for (int i = 0; i < 4; i++) sink = work(kUnit / 10);
    }
}

/* A triangle: the first thread waits for most of its time. */
static void unequal(void) {
  for (int times = 0; times < 1500; times++)
#pragma omp parallel for schedule(static)
    for (int i = 0; i < 32; i++) sink = work(kUnit * i / 16);
}

/* Serial parts between loops: all but one wait. */
static void serial(void) {
  for (int times = 0; times < 1500; times++) {
#pragma omp parallel for schedule(static)
    for (int i = 0; i < 16; i++) sink = work(kUnit);
    sink = work(kUnit * 8);
  }
}

/* Unequal loops in one region. */
static void stages(void) {
  for (int times = 0; times < 1500; times++)
#pragma omp parallel
    for (int loop = 0; loop < 8; loop++) {
#pragma omp for schedule(static)
      for (int i = 0; i < 4; i++) sink = work(kUnit * (1 + (i >> 1)));
    }
}

/* One thread's part between two loops of all. */
static void single(void) {
  for (int times = 0; times < 1000; times++)
#pragma omp parallel
    for (int half = 0; half < 2; half++) {
#pragma omp for schedule(static)
      for (int i = 0; i < 8; i++) sink = work(kUnit);
#pragma omp single
      sink = work(kUnit * 2);
    }
}

/* Whoever is free takes the next. */
static void dynamic(void) {
  for (int times = 0; times < 1000; times++)
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < 32; i++) sink = work(kUnit);
}

/* The same as tasks that one thread makes. */
static void tasks(void) {
  for (int times = 0; times < 1000; times++)
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 32; i++) {
#pragma omp task
      sink = work(kUnit);
    }
}

/* A pipeline of three stages, the middle one the longest. */
static void pipeline(void) {
  static char stages[3], tokens[64];
  (void)stages, (void)tokens; /* only their addresses are used */
#pragma omp parallel
#pragma omp single
  for (int item = 0; item < 6000; item++) {
    char* const token = &tokens[item % 64];
    (void)token;
#pragma omp task depend(inout : stages[0]) depend(out : *token)
    sink = work(kUnit);
#pragma omp task depend(inout : stages[1]) depend(inout : *token)
    sink = work(kUnit * 2);
#pragma omp task depend(inout : stages[2]) depend(in : *token)
    sink = work(kUnit);
    if (item % 64 == 63) {
#pragma omp taskwait
    }
  }
}

/* Short loops whose results are summed up. */
static void reduction(void) {
  double sum = 0;
  for (int times = 0; times < 2000; times++)
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (int i = 0; i < 8; i++) sum += work(kUnit);
  sink = sum;
}

static const struct {
  const char* name;
  void (*run)(void);
} kinds[] = {{"equal", equal},     {"fine", fine},       {"unequal", unequal}, {"serial", serial},     {"stages", stages},
             {"single", single},   {"dynamic", dynamic}, {"tasks", tasks},     {"pipeline", pipeline}, {"reduction", reduction}};

int main(int argc, char** argv) {
  for (unsigned k = 0; argc == 2 && k < sizeof kinds / sizeof *kinds; k++) {
    if (strcmp(kinds[k].name, argv[1]) != 0) continue;
    const double start = now_ns();
    kinds[k].run();
    printf("beside seconds=%.6f \n", (now_ns() - start) / 1e9);
    return 0;
  }
  fprintf(stderr, "usage: beside KIND, one of");
  for (unsigned k = 0; k < sizeof kinds / sizeof *kinds; k++) fprintf(stderr, " %s", kinds[k].name);
  fprintf(stderr, "\n");
  return 1;
}
