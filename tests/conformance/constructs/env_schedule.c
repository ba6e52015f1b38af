// OMP_SCHEDULE: kind, chunk size, modifiers, any case, spaces. Arguments: kind (number of omp_sched_t) and chunk size that
// omp_get_schedule is to give (0: any); then a loop under it.
// run static: OMP_SCHEDULE=static -- 1 0
// run static_chunk: OMP_SCHEDULE=static,4 -- 1 4
// run dynamic: OMP_SCHEDULE=dynamic -- 2 1
// run dynamic_chunk: OMP_SCHEDULE=dynamic,6 -- 2 6
// run guided: OMP_SCHEDULE=guided -- 3 1
// run guided_chunk: OMP_SCHEDULE=guided,3 -- 3 3
// run spaces: OMP_SCHEDULE=' guided , 3 ' -- 3 3
// peer clang.spaces: libomp 19 takes no spaces
// run auto: OMP_SCHEDULE=auto -- 4 0
// run monotonic: OMP_SCHEDULE=monotonic:dynamic,2 -- 2 2
// run nonmonotonic: OMP_SCHEDULE=nonmonotonic:dynamic,2 -- 2 2
// run monotonic_static: OMP_SCHEDULE=monotonic:static,5 -- 1 5
// run nonmonotonic_guided: OMP_SCHEDULE=nonmonotonic:guided -- 3 1
// run upper_case: OMP_SCHEDULE=DYNAMIC,3 -- 2 3
#include "loop_check.h"

static Map map;

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  omp_sched_t kind;
  int chunk, wanted = atoi(argv[1]), wanted_chunk = atoi(argv[2]), n = omp_get_max_threads();
  omp_get_schedule(&kind, &chunk);
  CHECK_EQUAL(kind & ~(unsigned)omp_sched_monotonic, wanted);
  if (wanted_chunk > 0) CHECK_EQUAL(chunk, wanted_chunk);
  for (int iterations = 0; iterations < 500; iterations = 2 * iterations + 1) {
    map_clear(&map);
#pragma omp parallel
    {
      int previous = -1;
#pragma omp for schedule(runtime)
      for (int i = 0; i < iterations; ++i) {
        if (strncmp(getenv("OMP_SCHEDULE"), "monotonic", 9) == 0) CHECK(i > previous);
        previous = i;
        map_note(&map, i);
      }
    }
    CHECK_ONCE(&map, iterations);
    if (wanted == omp_sched_static && wanted_chunk > 0)
      for (int i = 0; i < iterations; ++i) CHECK_EQUAL(map.by[i], i / wanted_chunk % n);
  }
  return check_end();
}
