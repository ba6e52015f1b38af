// Domains as the runtime tells them: number, distances, and where a thread is.
// run plain:
// run bound: OMP_PLACES=cores OMP_PROC_BIND=close
#include <omp.h>
#include <ompx_locality.h>
#include "numa_check.h"

int main(void) {
  CHECK_EQUAL(ompx_get_num_domains(), kNodes);
  for (int from = 0; from < kNodes; ++from)
    for (int to = 0; to < kNodes; ++to) CHECK_EQUAL(ompx_domain_distance(from, to), wanted_distance(from, to));
  CHECK_EQUAL(ompx_domain_distance(0, kNodes), -1);
  CHECK_EQUAL(ompx_domain_distance(-1, 0), -1);
  if (omp_get_proc_bind() != omp_proc_bind_false) {
#pragma omp parallel
    CHECK_EQUAL(ompx_get_domain_num(), thread_node());
  } else {
    for (int node = 0; node < kNodes; ++node) {
      go_to_node(node);
      CHECK_EQUAL(ompx_get_domain_num(), node);
    }
  }
  return check_end();
}
