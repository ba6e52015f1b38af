/* The calls of ompx_locality.h under the names that the literature gave them, so that its programs build unchanged.
 * Where a work leaves arguments or results open, they are those of ompx_locality.h; the comments below name these
 * cases. */
#ifndef OMPX_COMPAT_H
#define OMPX_COMPAT_H
#include "ompx_locality.h"
#if defined(__GNUC__)
#pragma GCC system_header
#endif

/* Muddukrishna 2016, 3.4.1: data distribution. Environment: OMP_DATA_DISTRIBUTION=standard|fine|coarse. */
enum {
  OMP_MALLOC_STANDARD = OMPX_POLICY_STANDARD,
  OMP_MALLOC_FINE = OMPX_POLICY_FINE,
  OMP_MALLOC_COARSE = OMPX_POLICY_COARSE
};
static inline void* omp_malloc(size_t bytes) { return ompx_malloc(bytes); }
static inline void* omp_malloc_specific(size_t bytes, int policy) {
  return ompx_malloc_policy(bytes, (ompx_policy_t)policy);
}

/* Schmidl 2016, 3.3: OMPX. The text gives arguments only for r_ompx_next_touch(addr, size); two names occur in two
 * spellings. */
static inline void* r_ompx_interleaved_alloc(size_t bytes) { return ompx_alloc_interleaved(bytes); }
static inline void* r_ompx_interleave_alloc(size_t bytes) { return ompx_alloc_interleaved(bytes); }
static inline int r_ompx_migrate(void* p, size_t bytes, int node) { return ompx_migrate(p, bytes, node); }
static inline int r_ompx_fetch(void* p, size_t bytes) { return ompx_fetch(p, bytes); }
static inline int r_ompx_next_touch(void* p, size_t bytes) { return ompx_next_touch(p, bytes); }
static inline int r_omp_next_touch(void* p, size_t bytes) { return ompx_next_touch(p, bytes); }

/* Olivier 2012, 7.3: locality domains. OMP_NO_CHILD_TASK_AFFINITY: as in Qthreads. */
#define OMP_NO_CHILD_TASK_AFFINITY OMPX_NO_DOMAIN
static inline int omp_child_task_affinity(int domain) { return ompx_child_task_affinity(domain); }
static inline int omp_get_num_locality_domains(void) { return ompx_get_num_domains(); }
static inline int omp_get_locality_domain_num(void) { return ompx_get_domain_num(); }

/* Virouleau et al. 2016: where the next task runs; block-cyclic arrays. For one dimension, spellings and arguments are
 * those of their library (sizes in bytes); for two dimensions nothing is published, and they are ours.
 * omp_locality_domain_free() frees memory of all of them. */
static inline int omp_set_affinity(int domain) { return ompx_next_task_affinity(domain); }
static inline void* omp_locality_domain_alloc(size_t bytes) { return ompx_malloc(bytes); }
static inline void* omp_locality_domain_allocate_bloc1d(size_t bytes) { return ompx_alloc_block_cyclic(bytes, 0); }
static inline void* omp_locality_domain_allocate_bloc1dcyclic(size_t bytes, size_t block) {
  return ompx_alloc_block_cyclic(bytes, block ? block : 1);
}
static inline void* omp_locality_domain_allocate_bloc2dcyclic(size_t rows, size_t columns, size_t element_bytes,
                                                              size_t block_rows, size_t block_columns) {
  return ompx_alloc_block_cyclic_2d(rows, columns, element_bytes, block_rows, block_columns);
}
static inline int omp_locality_domain_free(void* p, size_t bytes) {
  (void)bytes;
  ompx_free(p);
  return 0;
}

#endif
