// ordered: the bodies run one after the other in the order of the iterations, whatever the schedule; an iteration may also
// pass the construct by.
#include "check.h"

static int next_value;

// In turn, or `every` > 1: only multiples of it come here.
static void in_order(int i, int every) {
  CHECK_EQUAL(i, next_value);
  next_value = i + every;
}

#define ORDERED_LOOP(clause)                                      \
  do {                                                            \
    next_value = 0;                                               \
    _Pragma(clause) for (int i = 0; i < iterations; ++i) {        \
      if (i % every == 0) {                                       \
        _Pragma("omp ordered") in_order(i, every);                \
      }                                                           \
    }                                                             \
    CHECK_EQUAL(next_value, (iterations + every - 1) / every * every); \
  } while (0)

int main(void) {
  for (int every = 1; every <= 3; every += 2) {
    for (int iterations = 0; iterations < 200; iterations = iterations * 3 + 1) {
      ORDERED_LOOP("omp parallel for ordered schedule(static)");
      ORDERED_LOOP("omp parallel for ordered schedule(static, 3)");
      ORDERED_LOOP("omp parallel for ordered schedule(dynamic)");
      ORDERED_LOOP("omp parallel for ordered schedule(dynamic, 5)");
      ORDERED_LOOP("omp parallel for ordered schedule(guided)");
      ORDERED_LOOP("omp parallel for ordered schedule(auto)");
      omp_set_schedule(omp_sched_dynamic, 2);
      ORDERED_LOOP("omp parallel for ordered schedule(runtime)");
      omp_set_schedule(omp_sched_static, 2);
      ORDERED_LOOP("omp parallel for ordered schedule(runtime)");
      omp_set_schedule(omp_sched_guided, 2);
      ORDERED_LOOP("omp parallel for ordered schedule(runtime)");
    }
  }
  // Work outside the ordered part, uneven, going down, with two such loops in one region.
  int expected = 100, repeats = 0;
#pragma omp parallel
  {
#pragma omp for ordered schedule(dynamic, 2)
    for (int i = 100; i > 0; --i) {
      if (i % 7 == 0) nap_us(200);
#pragma omp ordered
      {
        CHECK_EQUAL(i, expected);
        --expected;
      }
      if (i % 11 == 0) nap_us(200);
    }
#pragma omp for ordered schedule(static, 1)
    for (unsigned long long i = 0; i < 64; ++i) {
#pragma omp ordered
      {
        CHECK_EQUAL(i, repeats);
        ++repeats;
      }
    }
  }
  CHECK_EQUAL(expected, 0);
  CHECK_EQUAL(repeats, 64);
  return check_end();
}
