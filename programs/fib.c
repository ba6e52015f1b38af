/* Fibonacci numbers by the doubly recursive definition: nothing but task creation and taskwait.
   The default, two tasks per call and no cut-off, is the measure of a runtime's cost per task. With codelet the calls are
   procedures, which give way where tasks wait (a library without codelets creates tasks). */
#include <einkorn/codelet.h>

#include "common.h"

enum { kTask, kCodelet };
static long cutoff = NO_CUTOFF;

static long fib_sequential(int n) { return n < 2 ? n : fib_sequential(n - 1) + fib_sequential(n - 2); }

static long fib_two_tasks(int n) {
  if (n < 2) return n;
  long x, y;
#pragma omp task UNTIED shared(x) firstprivate(n)
  x = fib_two_tasks(n - 1);
#pragma omp task UNTIED shared(y) firstprivate(n)
  y = fib_two_tasks(n - 2);
#pragma omp taskwait
  return x + y;
}

static long fib_one_task(int n) {
  if (n < 2) return n;
  long x, y;
#pragma omp task UNTIED shared(x) firstprivate(n)
  x = fib_one_task(n - 1);
  y = fib_one_task(n - 2);
#pragma omp taskwait
  return x + y;
}

/* The same with a depth: below the cut-off no tasks. Separate from the two above so that those stay minimal. */
static long fib_two_tasks_cutoff(int n, long depth) {
  if (n < 2) return n;
  if (depth >= cutoff) return fib_sequential(n);
  long x, y;
#pragma omp task UNTIED shared(x) firstprivate(n, depth)
  x = fib_two_tasks_cutoff(n - 1, depth + 1);
#pragma omp task UNTIED shared(y) firstprivate(n, depth)
  y = fib_two_tasks_cutoff(n - 2, depth + 1);
#pragma omp taskwait
  return x + y;
}

static long fib_one_task_cutoff(int n, long depth) {
  if (n < 2) return n;
  if (depth >= cutoff) return fib_sequential(n);
  long x, y;
#pragma omp task UNTIED shared(x) firstprivate(n, depth)
  x = fib_one_task_cutoff(n - 1, depth + 1);
  y = fib_one_task_cutoff(n - 2, depth + 1);
#pragma omp taskwait
  return x + y;
}

struct call {
  int n;
  long x, y, *result;
};
static const ek_proc call_procedure;

static ek_next run_call(ek_self *me) {
  struct call *c = me->frame;
  switch (me->at) { case 1: goto both_known; }
  if (c->n < 2) {
    *c->result = c->n;
    return EK_END;
  }
  ek_invoke(me, &call_procedure, &(struct call){.n = c->n - 1, .result = &c->x});
  ek_invoke(me, &call_procedure, &(struct call){.n = c->n - 2, .result = &c->y});
  EK_YIELD(me, 1, EK_WAIT);
both_known:
  *c->result = c->x + c->y;
  return EK_END;
}
static const ek_proc call_procedure = {.name = "fib", .file = __FILE__, .run = run_call, .frame_bytes = sizeof(struct call)};

/* Tasks that the recursion creates, by T(n) = k + T(n-1) + T(n-2), one row of the recurrence per level of depth:
   counting in the tasks themselves would cost as much as a task. */
static long count_fib_tasks(int n, long per_call) {
  static long row[2][128]; /* row[d & 1][m]: tasks made by a call of fib(m) at depth d */
  long deepest = cutoff < n ? cutoff : n;
  for (int m = 0; m <= n; m++) row[deepest & 1][m] = 0;
  for (long depth = deepest - 1; depth >= 0; depth--)
    for (int m = 0; m <= n; m++)
      row[depth & 1][m] = m < 2 ? 0 : per_call + row[(depth + 1) & 1][m - 1] + row[(depth + 1) & 1][m - 2];
  return row[0][n];
}

int main(int argc, char **argv) {
  long n = 27, one_task = 0, version = kTask;
  const Option options[] = {
      {"--size", kLong, "N", &n, 0, 60, "which Fibonacci number"},
      {"--one-task", kSwitch, "", &one_task, 1, 1, "one task per call (default: two)"},
      {"--version", kChoice, "task|codelet", &version, 0, 0, "codelet: two procedures a call, no cut-off"},
      {"--cutoff", kLong, "N", &cutoff, 0, 1000, "no tasks below depth N"},
      {"--no-cutoff", kSwitch, "", &cutoff, (double)NO_CUTOFF, 0, "tasks at every depth"},
  };
  parse_options(argc, argv, "fib", "Fibonacci number by double recursion, a task for each call.", options,
                OPTION_COUNT(options));

  long result = 0;
  double start = begin_timed_part();
  if (version == kCodelet && ek_on()) {
    one_task = 0;
    cutoff = NO_CUTOFF;
    ek_launch(&call_procedure, &(struct call){.n = (int)n, .result = &result});
  } else {
#pragma omp parallel
#pragma omp single
    if (cutoff == NO_CUTOFF)
      result = one_task ? fib_one_task((int)n) : fib_two_tasks((int)n);
    else
      result = one_task ? fib_one_task_cutoff((int)n, 0) : fib_two_tasks_cutoff((int)n, 0);
  }
  double seconds = end_timed_part(start);

  long a = 0, b = 1; /* the iteration the recursion is checked against */
  for (long i = 0; i < n; i++) {
    long next = a + b;
    a = b;
    b = next;
  }
  char size[32], text[32];
  snprintf(size, sizeof size, "%ld", n);
  snprintf(text, sizeof text, "%ld", result);
  return finish("fib", size, text, count_fib_tasks((int)n, one_task ? 1 : 2), seconds, result == a);
}
