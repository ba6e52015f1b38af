// Tasks go to the domain that they are sent to, and pages that they touch first lie there; under a strict schedule no
// task ever runs on another node.
// run strict: EINKORN_SCHEDULE=domains-strict OMP_PLACES=cores OMP_PROC_BIND=close
// run loose: EINKORN_SCHEDULE=domains OMP_PLACES=cores OMP_PROC_BIND=close
#include <omp.h>
#include <ompx_locality.h>
#include "numa_check.h"

enum { kBlocks = 64, kPagesEach = 3 };

int main(void) {
  int strict = strcmp(getenv("EINKORN_SCHEDULE"), "domains-strict") == 0;
  char *a = fresh_pages(kBlocks * kPagesEach);
  int ran[kBlocks], again[kBlocks];
#pragma omp parallel
#pragma omp single
  {
    /* The initialisation places the data: Olivier's spread initialisation, with one call a task. */
    for (int b = 0; b < kBlocks; ++b) {
      CHECK_EQUAL(ompx_next_task_affinity(b % kNodes), 0);
#pragma omp task
      {
        ran[b] = thread_node();
        memset(a + (size_t)b * kPagesEach * kPage, b + 1, kPagesEach * kPage);
      }
    }
#pragma omp taskwait
    for (int b = 0; b < kBlocks; ++b) {
      CHECK_EQUAL(ompx_child_task_affinity(b % kNodes), 0);
#pragma omp task
      {
        again[b] = thread_node();
        for (int i = 0; i < kPagesEach; ++i) CHECK_EQUAL(a[(size_t)(b * kPagesEach + i) * kPage + 9], b + 1);
      }
    }
    CHECK_EQUAL(ompx_child_task_affinity(OMPX_NO_DOMAIN), 0);
    CHECK_EQUAL(ompx_child_task_affinity(kNodes), EINVAL);
    CHECK_EQUAL(ompx_next_task_affinity(-7), EINVAL);
  }
  int elsewhere = 0;
  for (int b = 0; b < kBlocks; ++b) {
    for (int i = 0; i < kPagesEach; ++i) CHECK_EQUAL(page_node(a + (size_t)(b * kPagesEach + i) * kPage), ran[b]);
    if (strict) CHECK_EQUAL(ran[b], b % kNodes);
    if (strict) CHECK_EQUAL(again[b], b % kNodes);
    elsewhere += ran[b] != b % kNodes;
  }
  if (!strict) printf("%d of %d tasks were stolen by another node\n", elsewhere, kBlocks);
  return check_end();
}
