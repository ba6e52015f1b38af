// OMP_ALLOCATOR with a memory space: without traits it is that space's predefined allocator.
// run large: OMP_ALLOCATOR=omp_large_cap_mem_space -- 2
// run standard: OMP_ALLOCATOR=omp_default_mem_space -- 1
// run traits: OMP_ALLOCATOR=omp_large_cap_mem_space:alignment=64 -- 0
// peer gcc: libgomp 12 makes an allocator of its own of each
// peer clang: libomp does not know spaces there
#include "check.h"

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  const long expected = atol(argv[1]), got = (long)omp_get_default_allocator();
  if (expected) CHECK_EQUAL(got, expected);
  else CHECK(got > 4095);
  char *p = omp_alloc(100, omp_null_allocator);
  CHECK(p != NULL);
  if (!expected) CHECK_EQUAL((uintptr_t)p % 64, 0);
  omp_free(p, omp_null_allocator);
  return check_end();
}
