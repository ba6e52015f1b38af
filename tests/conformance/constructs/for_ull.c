// Loops over unsigned long long and long long at the ends of their range, up and down, under each schedule, ordered too.
#include "check.h"

static int times[64];
static int last_seen;

static void note(unsigned long long k) {
  if (k < 64) add_one(&times[k]);
  else check_report(__FILE__, __LINE__, "iteration outside the loop", (long long)k, 0);
}

static void check(int n) {
  for (int i = 0; i < 64; ++i) {
    CHECK_EQUAL(times[i], i < n);
    times[i] = 0;
  }
}

#define LOOPS(clause)                                                                                       \
  do {                                                                                                      \
    const unsigned long long most = ~0ull;                                                                 \
    _Pragma(clause) for (unsigned long long i = 0; i < most - most / 7; i += most / 7) note(i / (most / 7)); \
    check(7);                                                                                               \
    _Pragma(clause) for (unsigned long long i = most - 50; i < most; i += 2) note((i - (most - 50)) / 2);   \
    check(25);                                                                                              \
    _Pragma(clause) for (unsigned long long i = 60; i > 0; --i) note(60 - i);                               \
    check(60);                                                                                              \
    _Pragma(clause) for (unsigned long long i = most; i > most - 60; i -= 3) note((most - i) / 3);          \
    check(20);                                                                                              \
    _Pragma(clause) for (long long i = INT64_MIN; i < INT64_MIN / 2; i += 1ll << 59)                        \
        note(((unsigned long long)i - (unsigned long long)INT64_MIN) >> 59);                                \
    check(8);                                                                                               \
    _Pragma(clause) for (long long i = INT64_MAX; i > INT64_MAX - 40; --i) note(INT64_MAX - i);             \
    check(40);                                                                                              \
  } while (0)

#define ORDERED(clause)                                                                   \
  do {                                                                                    \
    last_seen = 0;                                                                        \
    _Pragma(clause) for (unsigned long long i = ~0ull; i > ~0ull - 80; i -= 2) {          \
      _Pragma("omp ordered") {                                                            \
        CHECK_EQUAL((~0ull - i) / 2, last_seen);                                          \
        ++last_seen;                                                                      \
      }                                                                                   \
    }                                                                                     \
    CHECK_EQUAL(last_seen, 40);                                                           \
  } while (0)

int main(void) {
  LOOPS("omp parallel for schedule(static)");
  LOOPS("omp parallel for schedule(static, 3)");
  LOOPS("omp parallel for schedule(dynamic)");
  LOOPS("omp parallel for schedule(dynamic, 5)");
  LOOPS("omp parallel for schedule(monotonic : dynamic, 2)");
  LOOPS("omp parallel for schedule(nonmonotonic : dynamic)");
  LOOPS("omp parallel for schedule(guided)");
  LOOPS("omp parallel for schedule(nonmonotonic : guided, 2)");
  LOOPS("omp parallel for schedule(auto)");
  for (int kind = 1; kind <= 4; ++kind)
    for (int chunk = 0; chunk < 3; ++chunk) {
      omp_set_schedule((omp_sched_t)kind, chunk);
      LOOPS("omp parallel for schedule(runtime)");
      LOOPS("omp parallel for schedule(nonmonotonic : runtime)");
      LOOPS("omp parallel for schedule(monotonic : runtime)");
      ORDERED("omp parallel for ordered schedule(runtime)");
    }
  ORDERED("omp parallel for ordered schedule(static)");
  ORDERED("omp parallel for ordered schedule(static, 3)");
  ORDERED("omp parallel for ordered schedule(dynamic, 3)");
  ORDERED("omp parallel for ordered schedule(guided)");
  return check_end();
}
