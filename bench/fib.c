/* The cost of a task: Fibonacci by double recursion, two tasks per call and no cut-off; every task only creates two
 * more. `fib one`: one task per call, the other half by the caller itself. Wall time per task created. */
#include <string.h>
#include "measure.h"

enum { kN = 27 };

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

static long fib_one(int n) {
  if (n < 2) return n;
  long x, y;
#pragma omp task shared(x) firstprivate(n)
  x = fib_one(n - 1);
  y = fib_one(n - 2);
#pragma omp taskwait
  return x + y;
}

static int tasks_a_call = 2;

static double once(void) {
  long result = 0;
  double start = now_ns();
#pragma omp parallel
#pragma omp single
  result = tasks_a_call == 2 ? fib(kN) : fib_one(kN);
  double elapsed = now_ns() - start;
  long a = 0, b = 1; /* F(kN), F(kN + 1) after the loop */
  for (int i = 0; i < kN; i++) {
    long next = a + b;
    a = b;
    b = next;
  }
  if (result != a) {
    fprintf(stderr, "fib(%d) gave %ld, not %ld\n", kN, result, a);
    exit(1);
  }
  /* fib(n) is called with n >= 2 F(n + 1) - 1 times. */
  return elapsed / (tasks_a_call * (double)(b - 1));
}

int main(int argc, char **argv) {
  if (argc > 1 && !strcmp(argv[1], "one")) tasks_a_call = 1;
  return measure(once, "ns/task");
}
