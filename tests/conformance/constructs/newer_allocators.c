// Allocators, memory spaces and traits of newer compilers' omp.h: gcc 15's pinned one (200), gcc 16's managed one (201), clang 21's
// omp_default_mem_space (99) and values of traits; memory spaces of devices (OpenMP 6.0); gfortran 14's allocators directive.
// flags gcc: -ldl
// flags clang: -ldl
// peer gcc: libgomp 12 takes small numbers that it does not know for pointers
// peer clang: as above
#define _GNU_SOURCE
#include "newer_names.h"

typedef omp_allocator_handle_t Handle;
static Handle handle(int number) { return (Handle)number; }

static void predefined(void) {
  // pinned; managed; what a future compiler may have. None needs to be destroyed, all may be.
  const int numbers[] = {200, 201, 202, 1000, 4095};
  for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
    unsigned char *p = omp_alloc(5000, handle(numbers[i]));
    CHECK(p != NULL);
    memset(p, 1, 5000);
    p = omp_realloc(p, 10000, handle(numbers[i]), handle(numbers[i]));
    CHECK(p != NULL && p[4999] == 1);
    omp_free(p, handle(numbers[i]));
    p = omp_aligned_calloc(256, 10, 10, handle(numbers[i]));
    CHECK(p != NULL && (uintptr_t)p % 256 == 0 && p[99] == 0);
    omp_free(p, omp_null_allocator);
    omp_destroy_allocator(handle(numbers[i]));
  }
  omp_set_default_allocator(handle(200));
  CHECK_EQUAL(omp_get_default_allocator(), 200);
  void *p = omp_alloc(10, omp_null_allocator);
  CHECK(p != NULL);
  omp_free(p, omp_null_allocator);
  omp_set_default_allocator(omp_default_mem_alloc);
  // Locked memory: more than the system lets us lock is none at all.
  CHECK(omp_alloc((size_t)1 << 46, handle(200)) == NULL);
}

static void spaces_and_traits(void) {
  const int spaces[] = {99, 100, 101, 102, 200};
  for (unsigned i = 0; i < sizeof spaces / sizeof *spaces; ++i) {
    omp_alloctrait_t traits[] = {{omp_atk_alignment, 4096},
                                 {omp_atk_access, (omp_uintptr_t)19},                      // omp_atv_all of clang 21
                                 {(omp_alloctrait_key_t)11, (omp_uintptr_t)20},            // device_access: single
                                 {(omp_alloctrait_key_t)14, (omp_uintptr_t)(1024 * 1024)}};  // part_size
    Handle own = omp_init_allocator((omp_memspace_handle_t)spaces[i], 4, traits);
    CHECK(own != omp_null_allocator);
    void *p = omp_alloc(10, own);
    CHECK(p && (uintptr_t)p % 4096 == 0);
    omp_free(p, own);
    omp_destroy_allocator(own);
  }
  CHECK(omp_init_allocator((omp_memspace_handle_t)77, 0, NULL) == omp_null_allocator);
  omp_alloctrait_t unknown[] = {{(omp_alloctrait_key_t)15, 0}};
  CHECK(omp_init_allocator(omp_default_mem_space, 1, unknown) == omp_null_allocator);
}

static void of_devices(void) {
  uintptr_t (*space)(int, uintptr_t) = named("omp_get_device_memspace", "VERSION");
  uintptr_t (*spaces)(int, const int *, uintptr_t) = named("omp_get_devices_memspace", "VERSION");
  uintptr_t (*all)(uintptr_t) = named("omp_get_devices_all_allocator", "VERSION");
  uintptr_t (*host_too_)(const int *, const int *, const uintptr_t *) = named("omp_get_devices_and_host_allocator_", "VERSION");
  int (*resources)(uintptr_t) = named("omp_get_memspace_num_resources", "VERSION");
  uintptr_t (*part)(uintptr_t, int, const int *) = named("omp_get_submemspace", "VERSION");
  const int host = omp_get_initial_device(), here[] = {host, -1}, elsewhere[] = {host, host + 1}, none = 0, first = 0, second = 1;
  const uintptr_t large = 1, standard = 99;
  CHECK_EQUAL(space(host, standard), 99);
  CHECK_EQUAL(space(host + 1, standard), 0);
  CHECK_EQUAL(space(host, 77), 0);
  CHECK_EQUAL(spaces(2, here, large), 1);
  CHECK_EQUAL(spaces(2, elsewhere, large), 0);
  CHECK_EQUAL(spaces(0, NULL, large), 0);
  CHECK_EQUAL(all(large), omp_large_cap_mem_alloc);
  CHECK_EQUAL(all(standard), omp_default_mem_alloc);
  CHECK_EQUAL(host_too_(&none, NULL, &large), omp_large_cap_mem_alloc);
  CHECK_EQUAL(resources(standard), 1);
  CHECK_EQUAL(resources(77), 0);
  CHECK_EQUAL(part(standard, 1, &first), 99);
  CHECK_EQUAL(part(standard, 1, &second), 0);
}

// Which allocatable scalars have memory of an allocator: told by the program, asked once for each.
static void scalars(void) {
  enum { kMost = 1000 };
  void (*add)(void *) = named("GOMP_add_alloc", "GOMP_5.1.2");
  _Bool (*is)(void *) = named("GOMP_is_alloc", "GOMP_5.1.2");
  int wrong = 0;
#pragma omp parallel reduction(+ : wrong)
  {
    char *mine = malloc(kMost);
    for (int round = 0; round < 20; ++round) {
      for (int i = 0; i < kMost; i += 2) add(mine + i);
      for (int i = 0; i < kMost; ++i) wrong += is(mine + i) != (i % 2 == 0);
      for (int i = 0; i < kMost; ++i) wrong += is(mine + i);  // no longer
    }
    free(mine);
  }
  CHECK_EQUAL(wrong, 0);
  CHECK(!is(NULL));
}

int main(void) {
  predefined();
  spaces_and_traits();
  of_devices();
  scalars();
  return check_end();
}
