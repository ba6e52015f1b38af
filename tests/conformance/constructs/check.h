// What the programs of this folder share: checks that any thread may make, counted without the help of OpenMP.
#pragma once
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int check_failures = 0;

// The first failures are enough to see what is wrong; a loop of a million may fail in each iteration.
static inline void check_report(const char *file, int line, const char *what, long long got, long long expected) {
  int n = __atomic_add_fetch(&check_failures, 1, __ATOMIC_RELAXED);
  if (n <= 10)
    fprintf(stderr, "%s:%d: %s: got %lld, expected %lld (thread %d of %d)\n", file, line, what, got, expected,
            omp_get_thread_num(), omp_get_num_threads());
  if (n >= 100000) {
    fprintf(stderr, "too many failures\n");
    _exit(1);  // a loop that runs away
  }
}

#define CHECK_EQUAL(got, expected)                                              \
  do {                                                                          \
    long long got_ = (long long)(got), expected_ = (long long)(expected);       \
    if (got_ != expected_) check_report(__FILE__, __LINE__, #got, got_, expected_); \
  } while (0)

#define CHECK(condition)                                                \
  do {                                                                  \
    if (!(condition)) check_report(__FILE__, __LINE__, #condition, 0, 1); \
  } while (0)

// Every main ends with `return check_end();`.
static inline int check_end(void) {
  if (check_failures == 0) return 0;
  fprintf(stderr, "%d checks failed\n", check_failures);
  return 1;
}

static inline void nap_us(long microseconds) { usleep((useconds_t)microseconds); }

static inline int add_one(int *counter) { return __atomic_add_fetch(counter, 1, __ATOMIC_SEQ_CST); }
static inline int value_of(const int *counter) { return __atomic_load_n(counter, __ATOMIC_SEQ_CST); }
static inline void set_to(int *counter, int value) { __atomic_store_n(counter, value, __ATOMIC_SEQ_CST); }

// Waits until *counter reaches value, asleep in between: there may be more threads than CPUs. False after ten seconds.
static inline int wait_until(const int *counter, int value) {
  for (int i = 0; i < 100000; ++i) {
    if (value_of(counter) >= value) return 1;
    nap_us(100);
  }
  return 0;
}
