// Once written, by whatever thread, pages lie where the policy of their allocation says; freed memory is reused zeroed
// or not, but whole.
// run plain: OMP_PLACES={0:2},{4:2} OMP_PROC_BIND=close OMP_NUM_THREADS=4
// run fine: OMP_DATA_DISTRIBUTION=fine
// run coarse: EINKORN_DATA_DISTRIBUTION=coarse OMP_DATA_DISTRIBUTION=fine
#include <omp.h>
#include <ompx_compat.h>
#include "numa_check.h"

enum { kPages = 40 };

static void write_all(char *p, size_t bytes) {
  for (size_t i = 0; i < bytes; i += kPage) p[i] = (char)(i / kPage + 1);
  if (bytes) p[bytes - 1] = 1;
}
static int node_at(const char *p, size_t page) { return page_node(p + page * kPage); }

static void fine(char *p) {
  CHECK(p != NULL);
  write_all(p, kPages * kPage);
  for (int i = 0; i < kPages; ++i) CHECK_EQUAL(node_at(p, i), i % kNodes);
}

static void coarse(void *(*get)(size_t)) {
  char *p[2 * kNodes];
  int first = -1;
  for (int k = 0; k < 2 * kNodes; ++k) {
    p[k] = get(kPages * kPage);
    CHECK(p[k] != NULL);
    write_all(p[k], kPages * kPage);
    if (k == 0) first = node_at(p[0], 0);
    for (int i = 0; i < kPages; ++i) CHECK_EQUAL(node_at(p[k], i), (first + k) % kNodes);
  }
  for (int k = 0; k < 2 * kNodes; ++k) ompx_free(p[k]);
}

static void *get_coarse(size_t bytes) { return ompx_malloc_policy(bytes, OMPX_POLICY_COARSE); }

/* Small ones: each on one node, the nodes in turn, many to a page. */
static void small(void) {
  char *p[400];
  int on[kNodes] = {0}, last = -1;
  for (int k = 0; k < 400; ++k) {
    p[k] = get_coarse(100);
    memset(p[k], k, 100);
    int node = page_node(p[k]);
    CHECK(last < 0 || node == (last + 1) % kNodes);
    last = node;
    if (node >= 0) on[node]++;
  }
  for (int k = 0; k < 400; ++k) CHECK(p[k][0] == (char)k && p[k][99] == (char)k);
  for (int k = 0; k < 400; ++k) ompx_free(p[k]);
  for (int node = 0; node < kNodes; ++node) CHECK_EQUAL(on[node], 100);
}

static void interleaved(void) {
  /* Places are CPUs 0-1 and 4-5: nodes 0 and 2. Outside of regions those of the place list. */
  char *p = ompx_alloc_interleaved(kPages * kPage), *q = NULL;
  write_all(p, kPages * kPage);
  for (int i = 0; i < kPages; ++i) CHECK_EQUAL(node_at(p, i), i % 2 * 2);
#pragma omp parallel num_threads(2) proc_bind(primary)
#pragma omp single
  q = r_ompx_interleaved_alloc(kPages * kPage);
  write_all(q, kPages * kPage);
  for (int i = 0; i < kPages; ++i) CHECK_EQUAL(node_at(q, i), 0);
  ompx_free(p);
  ompx_free(q);
}

static void block_cyclic(void) {
  char *p = ompx_alloc_block_cyclic(kPages * kPage - 5, 3 * kPage - 1);
  write_all(p, kPages * kPage - 5);
  for (int i = 0; i < kPages; ++i) CHECK_EQUAL(node_at(p, i), i / 3 % kNodes);
  ompx_free(p);
  p = ompx_alloc_block_cyclic(kPages * kPage, 0);  // one block a node
  write_all(p, kPages * kPage);
  for (int i = 0; i < kPages; ++i) CHECK_EQUAL(node_at(p, i), i / (kPages / kNodes));
  ompx_free(p);
  /* More blocks than the system has mappings for: there at once. */
  enum { many = 9000 };
  p = ompx_alloc_block_cyclic((size_t)many * kPage, kPage);
  CHECK(p && page_node(p + 77 * kPage) == 77 % kNodes);
  write_all(p, (size_t)many * kPage);
  int wrong = 0;
  for (int i = 0; i < many; ++i) wrong += node_at(p, i) != i % kNodes;
  CHECK_EQUAL(wrong, 0);
  char *fresh = fresh_pages(1);
  go_to_node(3);
  fresh[0] = 1;  // the thread's own policy is as before
  CHECK_EQUAL(page_node(fresh), 3);
  ompx_free(p);
}

static void tiles(void) {
  /* 24 x 2,048 doubles: a row is four pages; blocks of 4 x 512 are one page wide. The grid of domains is 2 x 2. */
  enum { rows = 24, columns = 2048, per_page = kPage / 8 };
  double *a = ompx_alloc_block_cyclic_2d(rows, columns, sizeof *a, 4, 512);
  CHECK(a != NULL);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) a[i * columns + j] = i + j;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; j += per_page) CHECK_EQUAL(page_node(&a[i * columns + j]), i / 4 % 2 * 2 + j / 512 % 2);
  ompx_free(a);
  CHECK(ompx_alloc_block_cyclic_2d(1, (size_t)1 << 40, (size_t)1 << 40, 1, 1) == NULL);
  CHECK(ompx_alloc_block_cyclic_2d(1, 1, 1, 0, 1) == NULL);
}

int main(void) {
  const char *policy = getenv("EINKORN_DATA_DISTRIBUTION");
  if (!policy) policy = getenv("OMP_DATA_DISTRIBUTION");
  if (policy && strcmp(policy, "fine") == 0) {
    char *p = ompx_malloc(kPages * kPage);
    fine(p);
    ompx_free(p);
    return check_end();
  }
  if (policy) {
    coarse(ompx_malloc);
    coarse(omp_malloc);
    return check_end();
  }
  char *p = ompx_malloc_policy(kPages * kPage, OMPX_POLICY_FINE);
  fine(p);
  ompx_free(p);
  p = omp_malloc_specific(kPages * kPage, OMP_MALLOC_FINE);
  fine(p);
  ompx_free(p);
  coarse(get_coarse);
  small();
  interleaved();
  block_cyclic();
  tiles();
  for (int i = 0; i < 2; ++i) {
    CHECK(ompx_malloc_policy(1, (ompx_policy_t)(4 * i)) == NULL);
    void *zero = ompx_malloc_policy(0, OMPX_POLICY_FINE);
    CHECK(zero != NULL);
    ompx_free(zero);
  }
  ompx_free(NULL);
  p = ompx_malloc(100);  // standard: malloc's
  memset(p, 1, 100);
  ompx_free(p);
  return check_end();
}
