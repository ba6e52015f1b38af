// OpenMP's own form: allocators with the partition trait.
// run plain: OMP_PLACES={0:2},{6:2} OMP_PROC_BIND=close OMP_NUM_THREADS=4
#include <omp.h>
#include "numa_check.h"

enum { kPages = 40 };

static omp_allocator_handle_t with(omp_alloctrait_value_t partition, int pinned) {
  omp_alloctrait_t traits[] = {{omp_atk_partition, partition}, {omp_atk_pinned, pinned ? omp_atv_true : omp_atv_false}};
  return omp_init_allocator(omp_default_mem_space, 2, traits);
}

/* The node of the page with byte i * kPage; the block itself begins a few bytes into a page. */
static int node_at(char *p, int i) {
  p[i * kPage] = 1;
  return page_node(p + i * kPage);
}

int main(void) {
  for (int pinned = 0; pinned < 2; ++pinned) {
    omp_allocator_handle_t nearest = with(omp_atv_nearest, pinned), blocked = with(omp_atv_blocked, pinned),
                           interleaved = with(omp_atv_interleaved, pinned);
    char *p = omp_alloc(kPages * kPage, blocked);
    CHECK(p != NULL);
    int per_block = (kPages + 1 + kNodes - 1) / kNodes;  // with the header before the block, one page more
    if (p && !pinned) for (int i = 0; i < kPages; ++i) CHECK_EQUAL(node_at(p, i), i / per_block);
    omp_free(p, blocked);
    p = omp_alloc(kPages * kPage, interleaved);
    CHECK(p != NULL);
    for (int i = 0; p && i < kPages; ++i) CHECK_EQUAL(node_at(p, i), i % 2 * 3);
    omp_free(p, interleaved);
#pragma omp parallel
    {
      char *mine = omp_alloc(kPages * kPage, nearest), *little = omp_alloc(100, nearest);
      CHECK(mine && little);
      for (int i = 0; mine && i < kPages; ++i) CHECK_EQUAL(node_at(mine, i), thread_node());
      CHECK_EQUAL(node_at(little, 0), thread_node());
      little = omp_realloc(little, 3 * kPage, nearest, nearest);
      CHECK_EQUAL(node_at(little, 2), thread_node());
      omp_free(mine, nearest);
      omp_free(little, nearest);
    }
    omp_destroy_allocator(nearest);
    omp_destroy_allocator(blocked);
    omp_destroy_allocator(interleaved);
  }
  return check_end();
}
