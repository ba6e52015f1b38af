// Deferred target tasks run beside the thread that meets them, wherever that is. Nothing here is timed: regions wait for
// each other and for the host, and would wait for ever if one were run in place.
//
// usage: nowait [end|fork]   end: target tasks are left to the end of the program. fork: the child has none.
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// The device of the test is in the same process: regions reach the host's memory by its address.
static void await(uintptr_t counter, int value) {
  while (__atomic_load_n((volatile int *)counter, __ATOMIC_ACQUIRE) < value) usleep(100);
}
static void count(uintptr_t counter) { __atomic_fetch_add((int *)counter, 1, __ATOMIC_ACQ_REL); }
#pragma omp declare target(await, count)

static int wrong;
static void check(int right, const char *what) {
  if (!right) fprintf(stderr, "%s\n", what), wrong = 1;
}

// Four regions at once, and the host.
static void meet(void) {
  int here = 0;
  uintptr_t at = (uintptr_t)&here;
  for (int i = 0; i < 4; ++i) {
#pragma omp target nowait firstprivate(at)
    {
      count(at);
      await(at, 5);
    }
  }
  count(at);
  await(at, 5);
#pragma omp taskwait
}

// A chain goes on while the host waits for its end in a way of its own.
static void chain(void) {
  int done = 0, a = 0, c[3] = {1, 2, 3};
  uintptr_t at = (uintptr_t)&done;
  for (int i = 0; i < 50; ++i) {
#pragma omp target nowait map(tofrom : a) map(to : c) depend(inout : a)
    a += c[i % 3];
#pragma omp target update to(c) nowait depend(inout : a)
  }
#pragma omp target nowait firstprivate(at) depend(in : a)
  count(at);
  await(at, 1);
#pragma omp taskwait
  check(a == 99, "a chain of target tasks");
}

// Tasks of the host before and behind them, groups, undeferred ones.
static void mixed(void) {
  int a = 0, b = 0, c = 0;
#pragma omp task shared(a) depend(out : a)
  a = 1;
#pragma omp target nowait map(tofrom : a) depend(inout : a)
  a *= 10;
#pragma omp task shared(a, b) depend(in : a) depend(out : b)
  b = a + 1;
#pragma omp target nowait map(tofrom : b) depend(inout : b)
  b *= 2;
#pragma omp taskwait depend(in : b)
  check(a == 10 && b == 22, "host tasks among them");
#pragma omp taskgroup
  {
    for (int i = 0; i < 10; ++i) {
#pragma omp target nowait map(tofrom : c) depend(inout : c)
      c += i;
    }
  }
  check(c == 45, "taskgroup");
#pragma omp task final(1) shared(c)
  {
#pragma omp target nowait map(tofrom : c)
    c = 7;
#pragma omp taskwait
  }
#pragma omp taskwait
  check(c == 7, "in a final task");
#pragma omp target nowait map(tofrom : c) depend(inout : c)
  c = 8;
#pragma omp target map(tofrom : c) depend(inout : c)
  ++c;
  check(c == 9, "one that is waited for behind a deferred one");
}

// In teams; the barrier waits for them.
static void teams(int threads) {
  int sum[8] = {0};
#pragma omp parallel num_threads(threads)
  {
    int me = omp_get_thread_num();
    int *p = &sum[me];
    for (int i = 0; i < 20; ++i) {
#pragma omp target nowait map(tofrom : p[0 : 1]) depend(inout : p[0])
      p[0] += i;
    }
#pragma omp barrier
    check(p[0] == 190, "a barrier");
  }
}

// clang 19 hands a struct over by its address: what the host stores afterwards is seen.
#ifdef __clang__
typedef int number;
#define VALUE(n) (n)
#else
typedef struct {
  double values[100];
  int last;
} number;
#define VALUE(n) (n).last
#endif
static void privates(void) {
  number n;
  int sum[10] = {0};
  for (int i = 0; i < 10; ++i) {
    VALUE(n) = i;
    int *p = sum + i;
#pragma omp target nowait firstprivate(n) map(from : p[0 : 1])
    p[0] = 3 * VALUE(n);
  }
#pragma omp taskwait
  for (int i = 0; i < 10; ++i) check(sum[i] == 3 * i, "firstprivate");
}

static int at_end, went;
int main(int count_of, char **words) {
  alarm(60);
  omp_set_dynamic(0);
  meet();
  chain();
  mixed();
  privates();
  for (int threads = 1; threads <= 4; threads *= 2) teams(threads);
  if (wrong || count_of < 2) return wrong;
  uintptr_t end = (uintptr_t)&at_end, go = (uintptr_t)&went;
#pragma omp target nowait firstprivate(end, go) depend(out : at_end)
  {
    await(go, 1);
    usleep(20000);
    count(end);
  }
  if (!strcmp(words[1], "fork")) {
    const pid_t child = fork();
    int status = -1;
    if (child == 0) {
#pragma omp taskwait
#pragma omp task depend(inout : at_end)
      at_end += 40;
#pragma omp taskwait
      exit(at_end != 40);
    }
    count(go);
    waitpid(child, &status, 0);
    if (status) return fprintf(stderr, "the child ends with %d\n", status), 1;
#pragma omp taskwait
    return at_end != 1;
  }
#pragma omp task depend(inout : at_end)
  ++at_end;
#pragma omp target nowait firstprivate(end) depend(in : at_end)
  {
    if (*(int *)end == 2) write(1, "all\n", 4);
  }
  count(go);
  return 0;
}
