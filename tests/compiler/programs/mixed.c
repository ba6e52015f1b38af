// Tasks and functions that are procedures, in regions with what else there is: macros, copyin, reductions of arrays,
// ordered loops, copyprivate.
// regions: 12 of 14
#include "check.h"

#define PRAGMA(text) _Pragma(#text)
#define TASK(...) PRAGMA(omp task __VA_ARGS__)
#define WAIT PRAGMA(omp taskwait)
#define ALL_TOGETHER(statement) \
  PRAGMA(omp parallel) PRAGMA(omp single) { statement; }

static long fib(int n) {
  if (n < 2) return n;
  long x, y;
#pragma omp task shared(x)
  x = fib(n - 1);
#pragma omp task shared(y)
  y = fib(n - 2);
#pragma omp taskwait
  return x + y;
}

/* The same, by macros. */
static long fib_by_macros(int n) {
  if (n < 2) return n;
  long x, y;
  TASK(shared(x)) x = fib_by_macros(n - 1);
  TASK(shared(y)) y = fib_by_macros(n - 2);
  WAIT
  return x + y;
}

static long mine;
#pragma omp threadprivate(mine)

static void add_to(long *sum, int n) {
  long part;
#pragma omp task shared(part)
  part = fib(n);
#pragma omp taskwait
#pragma omp atomic
  *sum += part;
}

static void copied_in(void) {
  long sum = 0;
  mine = 5;
#pragma omp parallel copyin(mine) num_threads(3) shared(sum)
  {
    CHECK(mine == 5);
    mine += omp_get_thread_num();
    add_to(&sum, 5);
    CHECK(mine == 5 + omp_get_thread_num());
#pragma omp barrier
    add_to(&sum, 3);
    CHECK(mine == 5 + omp_get_thread_num());
  }
  CHECK(sum == 3 * 7 || sum == 2 * 7 || sum == 7);
}

static void of_arrays(void) {
  int counts[4] = {0};
  long total = 0;
#pragma omp parallel reduction(+ : counts) num_threads(2)
  {
#pragma omp single
    {
      long value = fib(6);
      counts[0] += (int)value;
#pragma omp task shared(total)
      total = fib(7);
    }
    counts[1]++;
  }
  CHECK(counts[0] == 8 && counts[1] >= 1 && counts[1] <= 2 && total == 13);
  long *section = calloc(8, sizeof *section);
#pragma omp parallel for reduction(+ : section[2 : 4]) schedule(dynamic)
  for (int i = 0; i < 40; i++) {
    const long value = fib(i % 6);
    section[2 + i % 4] += value;
  }
  long want[8] = {0};
  for (int i = 0; i < 40; i++) want[2 + i % 4] += (long[]){0, 1, 1, 2, 3, 5}[i % 6];
  for (int i = 0; i < 8; i++) CHECK(section[i] == want[i]);
  free(section);
}

static void in_order(void) {
  long values[30], next = 0;
#pragma omp parallel for ordered schedule(dynamic, 2)
  for (int i = 0; i < 30; i++) {
    values[i] = 0;
#pragma omp task shared(values) firstprivate(i)
    values[i] = fib(i % 7);
#pragma omp taskwait
#pragma omp ordered
    {
      CHECK(next == i);
      next++;
    }
  }
  CHECK(next == 30 && values[20] == 8);
}

static void last_of_all(void) {
  long last = 0, x = 3, sums[20] = {0};
  int i;
#pragma omp parallel for lastprivate(last) linear(x : 2) schedule(guided)
  for (i = 0; i < 20; i++) {
    const long now = x;
#pragma omp task shared(sums) firstprivate(i, now)
    {
      add_to(&sums[i], 4);
#pragma omp taskwait
      sums[i] += now;
    }
    last = i + x;
    x += 2;
  }
  CHECK(last == 19 + 3 + 38);
  for (int k = 0; k < 20; k++) CHECK(sums[k] == 3 + 3 + 2 * k);
}

static void handed_round(void) {
  long value;
  int wrong = 0;
#pragma omp parallel private(value) reduction(+ : wrong)
  {
#pragma omp single copyprivate(value)
    value = fib(9);
    wrong += value != 34;
    long other;
#pragma omp task shared(other)
    other = fib(8);
#pragma omp taskwait
    wrong += other != 21;
#pragma omp barrier
    wrong += value != 34 || other != 21;
  }
  CHECK(wrong == 0);
}

static void by_macros(void) {
  long value = 0, other = 0;
  ALL_TOGETHER(value = fib(10));
  CHECK(value == 55);
  ALL_TOGETHER(value = fib_by_macros(10));
  CHECK(value == 55);
#pragma omp parallel
#pragma omp single
  {
    TASK(shared(value)) value = fib(5);
    TASK(shared(other)) { other = fib(6); other++; }
    WAIT
    CHECK(value == 5 && other == 9);
    TASK(shared(value)) value = fib(7); TASK(shared(other)) other = fib(8);
  }
  CHECK(value == 13 && other == 21);
}

static void one_of_them(void) {
  long value = 0, other = 0;
#pragma omp parallel masked
  {
    value = fib(9);
#pragma omp task shared(other)
    add_to(&other, 6);
  }
  CHECK(value == 34 && other == 8);
#pragma omp parallel master
  value = fib(3);
  CHECK(value == 2);
}

static void grouped(void) {
  long sum = 0;
#pragma omp parallel reduction(task, + : sum)
  {
#pragma omp single
    for (int i = 0; i < 10; i++) {
#pragma omp task in_reduction(+ : sum)
      sum += i;
    }
    long part = 0;
#pragma omp task shared(part)
    part = fib(6);
#pragma omp taskwait
    if (omp_get_thread_num() == 0) sum += part;
  }
  CHECK(sum == 45 + 8);
}

static void own_copies(void) {
  long values[24], x = 100, *p = &x;
#pragma omp parallel shared(x, p)
  {
#pragma omp for firstprivate(x, p)
    for (int i = 0; i < 24; i++) {
      x += i;
      long local = x;
#pragma omp task shared(values, local) firstprivate(i)
      {
        values[i] = local - *p;
        add_to(&values[i], 3);
#pragma omp taskwait
        values[i] += 3;
      }
#pragma omp taskwait
      x -= i;
    }
#pragma omp single
    x = 7;
  }
  CHECK(x == 7);
  for (int i = 0; i < 24; i++) CHECK(values[i] == 100 + i + 3 + 2 - 100);
}

static void of_sections(void) {
  long a = 0, b = 0, last = 0;
#pragma omp parallel sections lastprivate(last)
  {
#pragma omp section
    {
#pragma omp task shared(a)
      a = fib(5);
#pragma omp taskwait
      last = a;
    }
#pragma omp section
    {
      b = fib(6);
      last = b;
    }
  }
  CHECK(a == 5 && b == 8 && last == 8);
}

int main(void) {
  copied_in();
  of_arrays();
  in_order();
  last_of_all();
  handed_round();
  by_macros();
  one_of_them();
  grouped();
  own_copies();
  of_sections();
  return 0;
}
