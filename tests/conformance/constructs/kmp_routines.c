// The kmp_ routines of LLVM and Intel that programs call.
// compilers: clang
// run plain:
// run blocktime: KMP_BLOCKTIME=3 -- 3
#include <string.h>
#include "check.h"

int main(int argc, char **argv) {
  if (argc > 1) CHECK_EQUAL(kmp_get_blocktime(), atoi(argv[1]));
  kmp_set_stacksize_s(8 << 20);
  CHECK_EQUAL(kmp_get_stacksize_s(), 8 << 20);
  CHECK_EQUAL(kmp_get_stacksize(), 8 << 20);
  for (int ms = 0; ms < 3; ++ms) {
    kmp_set_blocktime(ms);
    CHECK_EQUAL(kmp_get_blocktime(), ms);
    int n = 0;
#pragma omp parallel num_threads(3) reduction(+ : n)
    n += 1;
    CHECK_EQUAL(n, 3);
  }
  kmp_set_library_throughput();
  CHECK_EQUAL(kmp_get_library(), 3);
  char *p = kmp_malloc(10);
  memcpy(p, "abcdefghi", 10);
  p = kmp_realloc(p, 10000);
  CHECK(strcmp(p, "abcdefghi") == 0);
  kmp_free(p);
  int *zeros = kmp_calloc(10, sizeof(int));
  for (int i = 0; i < 10; ++i) CHECK_EQUAL(zeros[i], 0);
  kmp_free(zeros);
  p = kmp_aligned_malloc(100, 256);
  CHECK_EQUAL((size_t)p % 256, 0);
  kmp_free(p);
  kmp_affinity_mask_t all, one;
  kmp_create_affinity_mask(&all);
  kmp_create_affinity_mask(&one);
  CHECK_EQUAL(kmp_get_affinity(&all), 0);
  int cpus = 0, first = -1;
  for (int i = kmp_get_affinity_max_proc() - 1; i >= 0; --i)
    if (kmp_get_affinity_mask_proc(i, &all) == 1) ++cpus, first = i;
  CHECK_EQUAL(cpus, omp_get_num_procs());
  CHECK_EQUAL(kmp_set_affinity_mask_proc(first, &one), 0);
  CHECK(kmp_set_affinity_mask_proc(1 << 20, &one) != 0);
  CHECK_EQUAL(kmp_set_affinity(&one), 0);
  kmp_affinity_mask_t now;
  kmp_create_affinity_mask(&now);
  CHECK_EQUAL(kmp_get_affinity(&now), 0);
  for (int i = 0; i < kmp_get_affinity_max_proc(); ++i)
    if (kmp_get_affinity_mask_proc(i, &all) == 1) CHECK_EQUAL(kmp_get_affinity_mask_proc(i, &now), i == first);
  CHECK_EQUAL(kmp_set_affinity(&all), 0);
  kmp_destroy_affinity_mask(&all);
  kmp_destroy_affinity_mask(&one);
  kmp_destroy_affinity_mask(&now);
  kmp_set_warnings_off();
  kmp_set_warnings_on();
  return check_end();
}
