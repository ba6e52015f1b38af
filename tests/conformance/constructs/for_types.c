// Loops over every integer type, signed and unsigned, with each schedule; down over the unsigned ones of full width only:
// gcc 12 passes the step of the others as a large positive number.
#include "loop_check.h"

static Map map;

#define TRY_UP(type, schedule_clause)                                                                    \
  do {                                                                                                \
    map_clear(&map);                                                                                  \
    _Pragma(schedule_clause) for (type i = 3; i < 120; i += 2) map_note(&map, ((long long)i - 3) / 2); \
    CHECK_ONCE(&map, 59);                                                                             \
  } while (0)

#define TRY_DOWN(type, schedule_clause)                                                               \
  do {                                                                                                \
    map_clear(&map);                                                                                  \
    _Pragma(schedule_clause) for (type i = 119; i > 3; i -= 4) map_note(&map, (119 - (long long)i) / 4); \
    CHECK_ONCE(&map, 29);                                                                             \
  } while (0)

#define ALL_CLAUSES(TRY, type)                                        \
  TRY(type, "omp parallel for schedule(static)");                     \
  TRY(type, "omp parallel for schedule(static, 2)");                  \
  TRY(type, "omp parallel for schedule(dynamic)");                    \
  TRY(type, "omp parallel for schedule(dynamic, 4)");                 \
  TRY(type, "omp parallel for schedule(guided, 2)");                  \
  TRY(type, "omp parallel for schedule(runtime)");                    \
  TRY(type, "omp parallel for schedule(monotonic:runtime)");          \
  TRY(type, "omp parallel for schedule(monotonic:dynamic, 3)");       \
  TRY(type, "omp parallel for ordered schedule(static)");             \
  TRY(type, "omp parallel for ordered schedule(dynamic, 3)");         \
  TRY(type, "omp parallel for ordered schedule(guided)");             \
  TRY(type, "omp parallel for ordered schedule(runtime)")

#define UP(type) ALL_CLAUSES(TRY_UP, type)
#define UP_AND_DOWN(type)    \
  ALL_CLAUSES(TRY_UP, type); \
  ALL_CLAUSES(TRY_DOWN, type)

int main(void) {
  // gcc reckons the chunks of static schedules in the loop's own type: of a char two iterations each, two apart, by 64
  // threads are none, and the loop never ends, under any library.
  if (omp_get_max_threads() > 31) omp_set_num_threads(31);
  UP_AND_DOWN(signed char);
  UP(unsigned char);
  UP_AND_DOWN(short);
  UP(unsigned short);
  UP_AND_DOWN(int);
  UP(unsigned);
  UP_AND_DOWN(long);
  UP_AND_DOWN(unsigned long);
  UP_AND_DOWN(long long);
  UP_AND_DOWN(unsigned long long);
  // Pointers.
  static char bytes[500];
  map_clear(&map);
#pragma omp parallel for schedule(dynamic, 7)
  for (char *p = bytes; p < bytes + 500; p += 3) map_note(&map, (p - bytes) / 3);
  CHECK_ONCE(&map, 167);
  return check_end();
}
