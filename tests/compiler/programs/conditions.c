/* Conditions in regions and around them: the codelets have the branch that the compiler behind takes. */
// regions: 12 of 12
#include <math.h>

#include "check.h"

#define ROWS 4
#define USES_ROWS (ROWS > 2)

/* What is not taken names variables of the region, and does not compile. */
static void otherwise(int n) {
  int sum = 0, threads = 0, id;
#pragma omp parallel private(id) reduction(+ : sum)
  {
#ifdef _OPENMP
    id = omp_get_thread_num();
#pragma omp master
    threads = omp_get_num_threads();
#else
    id = 0, threads = sum ? n : no_such_thing(id);
#endif
#pragma omp barrier
#if !defined(_OPENMP)
    sum += sum * n * threads) ;
#elif USES_ROWS
    sum += id < threads && n > 0;
#else
#error "it is not taken"
#endif
  }
  CHECK(sum == threads);
}

/* Which compiler it is, and of which version. */
static void compilers(int n, int* x) {
  int kind = 0;
#ifdef __clang__
#pragma omp parallel for
  for (int i = 0; i < n; i++) x[i] = i + 1;
#elif defined(__GNUC__) && __GNUC__ >= 5
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < n; i++) x[i] = i + 2;
#endif
#pragma omp parallel
  {
#pragma omp single
    {
#if defined(__clang__) && __clang_major__ > 3
      kind = 1;
#elif __GNUC__ > 4 && _OPENMP < 202011
      kind = 2;
#else
      kind = 3;
#endif
    }
#pragma omp for
    for (int i = 0; i < n; i++)
#if __has_builtin(__builtin_nondeterministic_value)
      x[i] += 10 * kind;
#else
      x[i] += 20 * kind;
#endif
  }
#ifdef __clang__
  CHECK(kind == 1 && x[n - 1] == n + 10);
#else
  CHECK(kind == 2 && x[n - 1] == n + 41);
#endif
}

/* Around the pragma, its clauses, and its statement. */
static void around(int n, int* x) {
  int sum = 0;
#if ROWS == 4
#pragma omp parallel for
#endif
  for (int i = 0; i < n; i++) x[i] = i;
#ifdef IT_IS_SLOW
#pragma omp parallel for schedule(dynamic, 1) reduction(+ : sum)
#else
#pragma omp parallel for \
    schedule(static) reduction(+ : sum)
#endif
  for (int i = 0; i < n; i++) sum += x[i];
  CHECK(sum == n * (n - 1) / 2);
#pragma omp parallel
#if USES_ROWS /* of which
                 there are four */
#pragma omp for
  for (int i = 0; i < n; i++)
#else
  {
    int i = 0;
#endif
    x[i] = 7;
#if !USES_ROWS
  }
#endif
  CHECK(x[0] == 7 && x[n - 1] == 7);
#pragma omp parallel
  {
#ifndef NDEBUG
#pragma omp for nowait
    for (int i = 0; i < n; i++)
#else
    int i = n;
#endif
      x[i]++;
#if defined NEVER
#pragma omp barrier
#endif
  }
  CHECK(x[0] == 8 && x[n - 1] == 8);
}

/* One in another, and what a branch defines. */
static void nested(int n, int* x) {
#ifdef _OPENMP
#define STEP 2
#if STEP == 2
#pragma omp parallel for
  for (int i = 0; i < n; i += STEP) {
#ifdef NEVER
    for (int n = 0; n < x[i]; n++) {
#elif 0
  }}
#else
    {
#endif
      x[i] = STEP;
      if (x[i] > 1
#ifdef NEVER
          && n
#endif
      )
        x[i]++;
    }
  }
#else
  no_such_thing());
#endif
#endif
  CHECK(x[0] == 3 && x[2] == 3);
}

/* The head of the function is another one, too. */
#ifdef _OPENMP
static int of_head(int n) {
  int last = 0;
#else
static int of_head(int n, int last) {
#endif
#pragma omp parallel for lastprivate(last)
  for (int i = 0; i < n; i++) last = i;
  return last;
}

/* A call whose arguments a condition names, and one of a macro. */
#define CALL(f, x) f(x)
static void calls(double* y) {
#pragma omp parallel num_threads(2)
  {
#pragma omp single nowait
    y[0] = CALL(fabs,
#ifdef NEVER
                y[2]
#else
                -2.0
#endif
    );
#pragma omp master
    y[1] = fmin(3.0,
#ifdef _OPENMP
                1.5
#else
                y[7]
#endif
    );
  }
  CHECK(y[0] == 2 && y[1] == 1.5);
}

/* With a macro of the program's in it. */
#define SHARED_SUM sum
static void macros(int n) {
  int sum = 0, seen = 0;
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
#ifdef __clang__
#pragma omp atomic
    SHARED_SUM += 2;
#else
#pragma omp atomic
    SHARED_SUM += 1;
#endif
  }
#pragma omp parallel
  {
#pragma omp critical
    {
#ifdef NEVER
      seen = sum = n;
#endif
      seen++;
    }
  }
#ifdef __clang__
  CHECK(sum == 2 * n);
#else
  CHECK(sum == n);
#endif
  CHECK(seen >= 1);
}

int main(void) {
  int x[100] = {0};
  double y[2];
  otherwise(100);
  compilers(100, x);
  around(100, x);
  nested(100, x);
  CHECK(of_head(100) == 99);
  calls(y);
  macros(100);
  return 0;
}
