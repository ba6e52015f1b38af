// taskloop over unsigned long long and long, near the ends of the types.
// peer clang: libomp 19 hangs near the ends of the types
#include <limits.h>

#include "loop_check.h"

static Map map;

#define LOOP(count, index, clauses, ...)                              \
  do {                                                                \
    map_clear(&map);                                                  \
    _Pragma(clauses) for (__VA_ARGS__) map_note(&map, (long long)(index)); \
    CHECK_ONCE(&map, count);                                          \
  } while (0)

int main(void) {
#pragma omp parallel
#pragma omp single
  {
    LOOP(100, i, "omp taskloop grainsize(7)", unsigned long long i = 0; i < 100; ++i);
    LOOP(100, 100 - i, "omp taskloop num_tasks(9)", unsigned long long i = 100; i > 0; --i);
    LOOP(50, i - (ULLONG_MAX - 50), "omp taskloop grainsize(4)", unsigned long long i = ULLONG_MAX - 50; i < ULLONG_MAX; ++i);
    LOOP(25, (ULLONG_MAX - 1 - i) / 2, "omp taskloop num_tasks(4)",
         unsigned long long i = ULLONG_MAX - 1; i > ULLONG_MAX - 50; i -= 2);
    LOOP(50, i - (LONG_MAX - 50), "omp taskloop grainsize(3)", long i = LONG_MAX - 50; i < LONG_MAX; ++i);
    LOOP(50, i - LONG_MIN, "omp taskloop", long i = LONG_MIN; i < LONG_MIN + 50; ++i);
    LOOP(10, (i - (LONG_MAX - 50)) / 5, "omp taskloop grainsize(3)", long i = LONG_MAX - 50; i < LONG_MAX; i += 5);
    LOOP(0, i, "omp taskloop", unsigned long long i = 10; i < 10; ++i);
    LOOP(0, i, "omp taskloop grainsize(2)", unsigned long long i = 11; i < 10; ++i);
    LOOP(120, i, "omp taskloop num_tasks(1000000)", unsigned i = 0; i < 120; ++i);
  }
  return check_end();
}
