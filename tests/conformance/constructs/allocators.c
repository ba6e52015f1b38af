// Allocators: predefined ones, traits, pools, fallbacks, the default allocator, moving blocks, the allocate clause.
// peer clang.plain: serves the default allocator only, and crashes in a chain of fallbacks
// peer clang.from_environment: as above
// run plain: -- 1
// run from_environment: OMP_ALLOCATOR=omp_low_lat_mem_alloc -- 5
#include <stdint.h>
#include <string.h>
#include "check.h"

static omp_allocator_handle_t make(const omp_alloctrait_t *traits, int n) {
  omp_alloctrait_t copy[8];
  memcpy(copy, traits, sizeof(*traits) * (size_t)n);
  return omp_init_allocator(omp_default_mem_space, n, copy);
}

static void pools(void) {
  omp_alloctrait_t traits[] = {{omp_atk_pool_size, 8192}, {omp_atk_fallback, omp_atv_null_fb}, {omp_atk_alignment, 64}};
  omp_allocator_handle_t a = make(traits, 3);
  CHECK(a != omp_null_allocator);
  int got = 0, wrong = 0;
  for (int round = 0; round < 50; ++round) {
    void *blocks[100];
    int n = 0;
    while (n < 100 && (blocks[n] = omp_alloc(500, a))) {
      if ((uintptr_t)blocks[n] % 64) ++wrong;
      memset(blocks[n++], round, 500);
    }
    CHECK(n >= 10 && n <= 16);
    if (round == 0) got = n;
    CHECK_EQUAL(n, got);  // everything came back
    while (n > 0) omp_free(blocks[--n], a);
  }
  CHECK_EQUAL(wrong, 0);
  // From many threads at once.
#pragma omp parallel
  for (int i = 0; i < 200; ++i) {
    void *p = omp_alloc(700, a);
    if (p) memset(p, 1, 700);
    omp_free(p, omp_null_allocator);
  }
  int n = 0;
  void *all[100];
  while (n < 100 && (all[n] = omp_alloc(500, a))) ++n;
  CHECK_EQUAL(n, got);
  while (n > 0) omp_free(all[--n], a);
  omp_destroy_allocator(a);
}

static void fallbacks(void) {
  omp_alloctrait_t none[] = {{omp_atk_pool_size, 16}, {omp_atk_fallback, omp_atv_default_mem_fb}};
  omp_allocator_handle_t standard = make(none, 2);
  void *p = omp_alloc(1000, standard);
  CHECK(p != NULL);
  omp_free(p, standard);
  omp_alloctrait_t big_traits[] = {{omp_atk_pool_size, 100000}, {omp_atk_fallback, omp_atv_null_fb}};
  omp_allocator_handle_t big = make(big_traits, 2);
  omp_alloctrait_t chain[] = {{omp_atk_pool_size, 16}, {omp_atk_fallback, omp_atv_allocator_fb}, {omp_atk_fb_data, (omp_uintptr_t)big}};
  omp_allocator_handle_t small = make(chain, 3);
  p = omp_alloc(50000, small);
  CHECK(p != NULL);
  CHECK(omp_alloc(60000, small) == NULL);
  omp_free(p, small);
  p = omp_alloc(60000, small);
  CHECK(p != NULL);
  omp_free(p, small);
  omp_destroy_allocator(small);
  omp_destroy_allocator(big);
  omp_destroy_allocator(standard);
  omp_alloctrait_t wrong[] = {{omp_atk_alignment, 24}};
#ifndef __clang__  // LLVM's takes it
  CHECK(make(wrong, 1) == omp_null_allocator);
#endif
  (void)wrong;
}

static void moving(void) {
  char *p = omp_alloc(100, omp_default_mem_alloc);
  for (int i = 0; i < 100; ++i) p[i] = (char)i;
  for (size_t size = 200; size < 100000; size *= 3) {
    p = omp_realloc(p, size, omp_default_mem_alloc, omp_default_mem_alloc);
    for (int i = 0; i < 100; ++i) CHECK_EQUAL(p[i], i);
  }
  omp_free(p, omp_default_mem_alloc);
  int *zeros = omp_calloc(1000, sizeof(int), omp_default_mem_alloc);
  for (int i = 0; i < 1000; ++i) CHECK_EQUAL(zeros[i], 0);
  omp_free(zeros, omp_default_mem_alloc);
  void *aligned = omp_aligned_alloc(1024, 2048, omp_default_mem_alloc);
  CHECK_EQUAL((uintptr_t)aligned % 1024, 0);
  omp_free(aligned, omp_default_mem_alloc);
  CHECK(omp_calloc(SIZE_MAX / 2, 4, omp_default_mem_alloc) == NULL);
  omp_free(NULL, omp_default_mem_alloc);
}

static void default_allocator(int expected) {
  CHECK_EQUAL((int)omp_get_default_allocator(), expected);
  omp_set_default_allocator(omp_const_mem_alloc);
#pragma omp parallel
  {
    CHECK(omp_get_default_allocator() == omp_const_mem_alloc);
    if (omp_get_thread_num() == 1) omp_set_default_allocator(omp_large_cap_mem_alloc);
#pragma omp barrier
    CHECK(omp_get_default_allocator() == (omp_get_thread_num() == 1 ? omp_large_cap_mem_alloc : omp_const_mem_alloc));
    void *p = omp_alloc(10, omp_null_allocator);
    CHECK(p != NULL);
    omp_free(p, omp_null_allocator);
  }
  CHECK(omp_get_default_allocator() == omp_const_mem_alloc);
}

static void clause(void) {
  int x = 5, y[100] = {0};
#pragma omp parallel private(y) firstprivate(x) allocate(omp_default_mem_alloc : x, y) num_threads(3)
  {
    CHECK_EQUAL(x, 5);
    for (int i = 0; i < 100; ++i) y[i] = i + x;
    x = y[99];
    CHECK_EQUAL(x, 104);
  }
}

int main(int argc, char **argv) {
  (void)argc;
  default_allocator(atoi(argv[1]));
  pools();
  fallbacks();
  moving();
  clause();
  return check_end();
}
