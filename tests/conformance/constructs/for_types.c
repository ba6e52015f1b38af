// Loops over every integer type, signed and unsigned, with each schedule.
#include "loop_check.h"

static Map map;

#define TRY(type, schedule_clause)                                                                    \
  do {                                                                                                \
    map_clear(&map);                                                                                  \
    _Pragma(schedule_clause) for (type i = 3; i < 120; i += 2) map_note(&map, ((long long)i - 3) / 2); \
    CHECK_ONCE(&map, 59);                                                                             \
    map_clear(&map);                                                                                  \
    _Pragma(schedule_clause) for (type i = 119; i > 3; i -= 4) map_note(&map, (119 - (long long)i) / 4); \
    CHECK_ONCE(&map, 29);                                                                             \
  } while (0)

#define TRY_ALL(type)                                                 \
  do {                                                                \
    TRY(type, "omp parallel for schedule(static)");                   \
    TRY(type, "omp parallel for schedule(static, 2)");                \
    TRY(type, "omp parallel for schedule(dynamic)");                  \
    TRY(type, "omp parallel for schedule(dynamic, 4)");               \
    TRY(type, "omp parallel for schedule(guided, 2)");                \
    TRY(type, "omp parallel for schedule(runtime)");                  \
    TRY(type, "omp parallel for schedule(monotonic:runtime)");        \
    TRY(type, "omp parallel for schedule(monotonic:dynamic, 3)");     \
    TRY(type, "omp parallel for ordered schedule(static)");           \
    TRY(type, "omp parallel for ordered schedule(dynamic, 3)");       \
    TRY(type, "omp parallel for ordered schedule(guided)");           \
    TRY(type, "omp parallel for ordered schedule(runtime)");          \
  } while (0)

int main(void) {
  TRY_ALL(signed char);
  TRY_ALL(unsigned char);
  TRY_ALL(short);
  TRY_ALL(unsigned short);
  TRY_ALL(int);
  TRY_ALL(unsigned);
  TRY_ALL(long);
  TRY_ALL(unsigned long);
  TRY_ALL(long long);
  TRY_ALL(unsigned long long);
  // Pointers.
  static char bytes[500];
  map_clear(&map);
#pragma omp parallel for schedule(dynamic, 7)
  for (char *p = bytes; p < bytes + 500; p += 3) map_note(&map, (p - bytes) / 3);
  CHECK_ONCE(&map, 167);
  return check_end();
}
