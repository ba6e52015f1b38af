// What OpenMP leaves to the implementation is as in the library that the compiler's programs are written for: the schedule of
// schedule(runtime), and what OMP_AFFINITY_FORMAT is if not set. LLVM's further kinds of schedule have their numbers.
// run plain:
// run trapezoidal: OMP_SCHEDULE=trapezoidal,3 -- 101 3
// peer gcc.trapezoidal: LLVM's
// run static_steal: OMP_SCHEDULE=static_steal,4 -- 2 4
// peer gcc.static_steal: LLVM's
#include "loop_check.h"

static Map map;

int main(int argc, char **argv) {
  omp_sched_t kind;
  int chunk;
  char text[200];
  omp_get_schedule(&kind, &chunk);
  if (argc == 3) {
    CHECK_EQUAL(kind, atoi(argv[1]));
    CHECK_EQUAL(chunk, atoi(argv[2]));
  } else {
    omp_get_affinity_format(text, sizeof text);
#ifdef __clang__
    CHECK_EQUAL(kind, omp_sched_static);
    CHECK_EQUAL(chunk, 0);
    CHECK(strncmp(text, "OMP: pid %P tid %i thread %n", 28) == 0);
#else
    CHECK_EQUAL(kind, omp_sched_dynamic);
    CHECK_EQUAL(chunk, 1);
    CHECK(strcmp(text, "level %L thread %i affinity %A") == 0);
#endif
  }
  for (int iterations = 0; iterations < 2000; iterations = 2 * iterations + 1) {
    map_clear(&map);
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < iterations; ++i) map_note(&map, i);
    CHECK_ONCE(&map, iterations);
  }
  return check_end();
}
