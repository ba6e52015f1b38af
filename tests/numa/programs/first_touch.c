// First touch: pages lie on the node of the thread that wrote first, for a loop with static schedule and for bound threads.
// run cores: OMP_PLACES=cores OMP_PROC_BIND=close
// run domains: OMP_PLACES=numa_domains OMP_PROC_BIND=spread
#include <omp.h>
#include "numa_check.h"

enum { kPages = 64 };

int main(void) {
  char *a = fresh_pages(kPages);
  int wrote[kPages];
  CHECK(page_node(a) < 0);
#pragma omp parallel for schedule(static)
  for (int i = 0; i < kPages; ++i) {
    a[i * kPage + 17] = (char)i;
    wrote[i] = thread_node();
  }
  int on[kNodes] = {0};
  for (int i = 0; i < kPages; ++i) {
    CHECK_EQUAL(page_node(a + i * kPage), wrote[i]);
    CHECK_EQUAL(a[i * kPage + 17], i);
    on[wrote[i]]++;
  }
  for (int node = 0; node < kNodes; ++node) CHECK_EQUAL(on[node], kPages / kNodes);
  return check_end();
}
