// OpenMP works there, on Einkorn's runtime: loops, tasks, nested regions; with and without threads bound to nodes.
// run plain:
// run places: OMP_PLACES=numa_domains OMP_PROC_BIND=spread
// run crowded: OMP_NUM_THREADS=20
#include <omp.h>
#include "numa_check.h"

static void served_by_einkorn(void) {
  FILE *maps = fopen("/proc/self/maps", "r");
  char line[512];
  int found = 0;
  while (maps && fgets(line, sizeof line, maps)) found += strstr(line, " /einkorn/lib") != NULL;
  CHECK(found > 0);
  if (maps) fclose(maps);
}

static long fib(int n) {
  long a, b;
  if (n < 2) return n;
#pragma omp task shared(a)
  a = fib(n - 1);
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}

int main(void) {
  served_by_einkorn();
  CHECK_EQUAL(omp_get_num_procs(), kNodes * kCpusPerNode);
  long sum = 0;
#pragma omp parallel for schedule(dynamic, 7) reduction(+ : sum)
  for (int i = 0; i < 1000; ++i) sum += i;
  CHECK_EQUAL(sum, 499500);
  long result = 0;
#pragma omp parallel
#pragma omp single
  result = fib(11);
  CHECK_EQUAL(result, 89);
  if (omp_get_proc_bind() == omp_proc_bind_false) {
#ifdef __clang__
    CHECK_EQUAL(omp_get_num_places(), 1);  /* all CPUs, as in LLVM's library */
    CHECK_EQUAL(omp_get_place_num_procs(0), kNodes * kCpusPerNode);
#else
    CHECK_EQUAL(omp_get_num_places(), 0);
#endif
  } else {
    CHECK_EQUAL(omp_get_num_places(), kNodes);
    int seen[kNodes] = {0};
#pragma omp parallel
    {
      int cpus[kCpusPerNode];  /* the places may be in any order: as short a tour as there is */
      CHECK_EQUAL(omp_get_place_num_procs(omp_get_place_num()), kCpusPerNode);
      omp_get_place_proc_ids(omp_get_place_num(), cpus);
      CHECK_EQUAL(cpus[0] / kCpusPerNode, thread_node());
      CHECK_EQUAL(cpus[1] / kCpusPerNode, thread_node());
#pragma omp atomic
      seen[thread_node()]++;
    }
    for (int node = 0; node < kNodes; ++node) CHECK_EQUAL(seen[node], kCpusPerNode);
  }
  return check_end();
}
