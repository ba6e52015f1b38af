/* The cost of a task in instructions: run under callgrind, which is asked to write down the count of each measurement.
 *
 * A team of two, whose second thread sits in a system call of the program itself: it takes no tasks and asks for none.
 * So the other thread has the usual case of a busy team, and the count is the same each time. `at-once` is a team of
 * one. Prints `NAME OPERATIONS` for each measurement; the compiler's code in this file is included in the counts. */
#include <omp.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
#include <valgrind/callgrind.h>

#define KEEP() __asm__ volatile("" ::: "memory")

enum { kFib = 16, kTasks = 2000 };

static long fib(int n) {
  if (n < 2) return n;
  long x, y;
#pragma omp task shared(x) firstprivate(n)
  x = fib(n - 1);
#pragma omp task shared(y) firstprivate(n)
  y = fib(n - 2);
#pragma omp taskwait
  return x + y;
}

/* The same with more data than a runtime would copy in its entry point. */
struct data {
  int n;
  char more[100];
};

static long fib_data(struct data d) {
  if (d.n < 2) return d.n;
  long x, y;
  d.n--;
#pragma omp task shared(x) firstprivate(d)
  x = fib_data(d);
  d.n--;
#pragma omp task shared(y) firstprivate(d)
  y = fib_data(d);
#pragma omp taskwait
  return x + y;
}

static long fibonacci_data(void) {
  if (fib_data((struct data){.n = kFib}) != 987) _exit(1);
  return 2 * (1597 - 1);
}

/* The same with untied tasks, and with a form whose scheduling points are in the tasks' own code: clang leaves a task
 * and enters it again at each of them. */
static long fib_untied(int n) {
  if (n < 2) return n;
  long x, y;
#pragma omp task untied shared(x) firstprivate(n)
  x = fib_untied(n - 1);
#pragma omp task untied shared(y) firstprivate(n)
  y = fib_untied(n - 2);
#pragma omp taskwait
  return x + y;
}

static void fib_parts(int n, long *sum) {
  if (n < 2) {
    *sum = n;
    return;
  }
#pragma omp task untied firstprivate(n, sum)
  {
    long x, y;
    fib_parts(n - 1, &x);
    fib_parts(n - 2, &y);
#pragma omp taskwait
    *sum = x + y;
  }
}

static long fibonacci_untied(void) {
  if (fib_untied(kFib) != 987) _exit(1);
  return 2 * (1597 - 1);
}

static long fibonacci_parts(void) {
  long sum;
  fib_parts(kFib, &sum);
#pragma omp taskwait
  if (sum != 987) _exit(1);
  return 1597 - 1;
}

static long fibonacci(void) {
  if (fib(kFib) != 987) _exit(1);
  return 2 * (1597 - 1); /* fib(n) is called with n >= 2 F(n + 1) - 1 times */
}

static long one_producer(void) {
  for (int i = 0; i < kTasks; i++) {
#pragma omp task
    KEEP();
  }
#pragma omp taskwait
  return kTasks;
}

static char cells[kTasks];

static long depend(void) {
  for (int i = 0; i < kTasks; i++) {
#pragma omp task depend(inout : cells[i])
    KEEP();
  }
#pragma omp taskwait
  return kTasks;
}

static long chain(void) {
  for (int i = 0; i < kTasks; i++) {
#pragma omp task depend(inout : cells[0])
    KEEP();
  }
#pragma omp taskwait
  return kTasks;
}

enum { kSide = 40 };
static char grid[kSide + 1][kSide + 1];

static long wavefront(void) {
  for (int i = 1; i <= kSide; i++)
    for (int j = 1; j <= kSide; j++) {
#pragma omp task depend(in : grid[i - 1][j], grid[i][j - 1]) depend(out : grid[i][j])
      KEEP();
    }
#pragma omp taskwait
  return kSide * kSide;
}

/* Pieces that take a while: the runtime runs several shorter ones in a row, how many depends on the clock, which
 * callgrind does not slow down as it does the instructions. */
static long taskloop(void) {
#pragma omp taskloop grainsize(1)
  for (int i = 0; i < kTasks; i++) nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
  return kTasks;
}

/* The first time is not counted: symbols are looked up, free lists fill. */
#define MEASURE(name, function)                \
  do {                                         \
    function();                                \
    CALLGRIND_ZERO_STATS;                      \
    long operations_ = function();             \
    CALLGRIND_DUMP_STATS_AT(name);             \
    printf("%s %ld\n", name, operations_);     \
  } while (0)

int main(void) {
  int there[2], done[2];
  char byte = 0;
  if (pipe(there) || pipe(done)) return 1;
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 1) {
      char mine = 0;
      if (write(there[1], &mine, 1) != 1 || read(done[0], &mine, 1) != 1) _exit(1);
    } else {
      if (read(there[0], &byte, 1) != 1) _exit(1);
      MEASURE("task", fibonacci);
      MEASURE("task with data", fibonacci_data);
      MEASURE("untied task", fibonacci_untied);
      MEASURE("untied task of parts", fibonacci_parts);
      MEASURE("one producer", one_producer);
      MEASURE("depend", depend);
      MEASURE("depend chain", chain);
      MEASURE("depend wavefront", wavefront);
      MEASURE("taskloop", taskloop);
      if (write(done[1], &byte, 1) != 1) _exit(1);
    }
  }
  usleep(200000); /* the second thread falls asleep */
#pragma omp parallel num_threads(1)
  {
    MEASURE("at once", fibonacci);
    MEASURE("untied at once", fibonacci_untied);
  }
  return 0;
}
