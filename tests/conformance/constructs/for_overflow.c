// Bounds at the ends of the types, huge steps and huge chunks: neither the counting of iterations nor the hand-out of the
// chunk after the last may overflow. The loop variable itself never does, not even behind the last iteration.
#include <limits.h>

#include "loop_check.h"

static Map map;

#define TRY(clause, count, index, ...)                              \
  do {                                                              \
    map_clear(&map);                                                \
    _Pragma(clause) for (__VA_ARGS__) map_note(&map, (long long)(index)); \
    map_check_once(&map, count, __FILE__ ": " clause, __LINE__);    \
  } while (0)

// LOOP(number of iterations, number of iteration i, the loop's head)
#define LOOP(...)                                                      \
  do {                                                                 \
    TRY("omp parallel for schedule(static)", __VA_ARGS__);             \
    TRY("omp parallel for schedule(static, 2)", __VA_ARGS__);          \
    TRY("omp parallel for schedule(dynamic)", __VA_ARGS__);            \
    TRY("omp parallel for schedule(dynamic, 3)", __VA_ARGS__);         \
    TRY("omp parallel for schedule(guided)", __VA_ARGS__);             \
    TRY("omp parallel for schedule(guided, 5)", __VA_ARGS__);          \
    TRY("omp parallel for schedule(runtime)", __VA_ARGS__);            \
    TRY("omp parallel for ordered schedule(dynamic, 3)", __VA_ARGS__); \
  } while (0)

int main(void) {
  LOOP(20, i - (INT_MAX - 20LL), int i = INT_MAX - 20; i < INT_MAX; ++i);
  LOOP(5, (i - (INT_MAX - 20LL)) / 4, int i = INT_MAX - 20; i < INT_MAX; i += 4);
  LOOP(20, INT_MIN + 20LL - i, int i = INT_MIN + 20; i > INT_MIN; --i);
  LOOP(20, i - (LONG_MAX - 20), long i = LONG_MAX - 20; i < LONG_MAX; ++i);
  LOOP(5, (i - (LONG_MAX - 20)) / 4, long i = LONG_MAX - 20; i < LONG_MAX; i += 4);
  LOOP(20, i - LONG_MIN, long i = LONG_MIN; i < LONG_MIN + 20; ++i);
  LOOP(5, (LONG_MIN + 20 - i) / 4, long i = LONG_MIN + 20; i > LONG_MIN; i -= 4);
  LOOP(20, i - (ULLONG_MAX - 20), unsigned long long i = ULLONG_MAX - 20; i < ULLONG_MAX; ++i);
  LOOP(20, 20 - i, unsigned long long i = 20; i > 0; --i);
  LOOP(4, (ULLONG_MAX - 1 - i) / 2, unsigned long long i = ULLONG_MAX - 1; i > ULLONG_MAX - 8; i -= 2);
  // In big steps. (gcc 12 takes a bound of 2^63 and above with such a step for a negative one: no larger ones.)
  LOOP(7, i >> 60, unsigned long long i = 0; i < 7ULL << 60; i += 1ULL << 60);
  LOOP(7, (i >> 60) + 3, long i = -(3L << 60); i < 4L << 60; i += 1L << 60);
  LOOP(7, (i >> 28) + 3, int i = -(3 << 28); i < 4 << 28; i += 1 << 28);
  LOOP(15, i >> 28, unsigned i = 0; i < 15U << 28; i += 1U << 28);
  // A chunk larger than the loop, and than what fits into the type when added to a bound.
  TRY("omp parallel for schedule(dynamic, INT_MAX)", 50, i, int i = 0; i < 50; ++i);
  TRY("omp parallel for schedule(guided, INT_MAX)", 50, i, long i = 0; i < 50; ++i);
  TRY("omp parallel for schedule(static, INT_MAX)", 50, i, long i = 0; i < 50; ++i);
  TRY("omp parallel for schedule(dynamic, 1000000)", 20, i - (INT_MAX - 20LL), int i = INT_MAX - 20; i < INT_MAX; ++i);
  return check_end();
}
