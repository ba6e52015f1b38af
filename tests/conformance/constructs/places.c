// Places: the queries agree with each other and with where the system has the threads; proc_bind clauses; partitions.
// peer clang.none: says that an unbound thread has a place
// peer clang.off: as above
// peer clang.invalid: binds to other places then
// run none: -- 0
// run threads: OMP_PLACES=threads -- 1
// run cores_close: OMP_PLACES=cores OMP_PROC_BIND=close -- 1
// run sockets_spread: OMP_PLACES=sockets OMP_PROC_BIND=spread,close OMP_MAX_ACTIVE_LEVELS=2 -- 1
// run bind_only: OMP_PROC_BIND=true -- 1
// run off: OMP_PLACES=cores OMP_PROC_BIND=false -- 0
// run explicit: OMP_PLACES={0},{0} OMP_PROC_BIND=primary -- 1
// run invalid: OMP_PLACES={0,} -- 0
// stderr invalid: OMP_PLACES
#define _GNU_SOURCE
#include <sched.h>
#include <string.h>
#include "check.h"

static void where(int bound) {
  int place = omp_get_place_num(), places = omp_get_num_places();
#ifdef __clang__
  // Without binding all CPUs are one place, as in LLVM's library.
  if (!bound) {
    CHECK_EQUAL(places, 1);
    CHECK_EQUAL(place, 0);
  }
#else
  if (!bound) {
    CHECK_EQUAL(places, 0);
    CHECK_EQUAL(place, -1);
    return;
  }
#endif
  CHECK(place >= 0 && place < places);
  int n = omp_get_place_num_procs(place), ids[4096];
  CHECK(n > 0 && n <= 4096);
  omp_get_place_proc_ids(place, ids);
  cpu_set_t mask;
  CHECK_EQUAL(sched_getaffinity(0, sizeof mask, &mask), 0);
  CHECK_EQUAL(CPU_COUNT(&mask), n);
  for (int i = 0; i < n; ++i) CHECK(CPU_ISSET(ids[i], &mask));
  int part = omp_get_partition_num_places(), nums[4096], inside = 0;
  CHECK(part > 0 && part <= places);
  omp_get_partition_place_nums(nums);
  for (int i = 0; i < part; ++i) inside += nums[i] == place;
  CHECK_EQUAL(inside, 1);
}

static void regions(int bound) {
  where(bound);
  for (int n = 1; n < 6; ++n) {
    int primary = omp_get_place_num();
#pragma omp parallel num_threads(n) proc_bind(close)
    {
      where(bound);
      if (omp_get_thread_num() == 0) CHECK_EQUAL(omp_get_place_num(), primary);
    }
#pragma omp parallel num_threads(n) proc_bind(spread)
    {
      where(bound);
      if (bound && omp_get_num_threads() == n)
        CHECK_EQUAL(omp_get_partition_num_places() <= (omp_get_num_places() + n - 1) / n, 1);
    }
#pragma omp parallel num_threads(n) proc_bind(master)
    {
      where(bound);
      CHECK_EQUAL(omp_get_place_num(), primary);
    }
    CHECK_EQUAL(omp_get_place_num(), primary);
  }
}

int main(int argc, char **argv) {
  (void)argc;
  int bound = atoi(argv[1]);
  if (!bound) CHECK_EQUAL(omp_get_proc_bind(), omp_proc_bind_false);
  else CHECK(omp_get_num_places() > 0);
  CHECK_EQUAL(omp_get_place_num_procs(-1), 0);
  CHECK_EQUAL(omp_get_place_num_procs(1000000), 0);
  regions(bound);
  CHECK(omp_get_num_procs() >= 1);
  return check_end();
}
