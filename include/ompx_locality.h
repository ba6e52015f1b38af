/* Where data lives and where tasks run: Einkorn's extension of OpenMP, for C and C++. Fortran: at the end of this file.
 *
 * OpenMP's own forms come first (docs/memory.md): OMP_PLACES=numa_domains, proc_bind, the affinity clause, allocators with
 * the partition trait. What is here is for what they cannot say. The names of the literature are in ompx_compat.h.
 *
 * A program that includes this file needs no further library and runs unchanged on any OpenMP runtime. Each function looks
 * once, when it is first called, whether the runtime in the process has it (by a weak reference to dlsym(), so static
 * programs link as before); where it is not there it does what is said under "elsewhere". Nothing here changes what a
 * correct program computes, only where that happens.
 *
 * Units: bytes; domains count from 0; distances are those of ACPI's SLIT, 10 is local.
 * Errors: functions that return int give 0, or an error number of <errno.h>, and leave errno alone; allocations give NULL
 * when there is no memory. Common to all:
 *   ENOSYS  the program does not run on Einkorn's runtime: nothing was done
 *   EINVAL  an argument is outside what is said of it
 *   EPERM   the system lets this process not place memory (a container without that permission, for instance): the runtime
 *           says so once on stderr, and memory stays where the system puts it
 * All functions may be called by any thread at any time, inside and outside parallel regions, but not in signal handlers.
 */
#ifndef OMPX_LOCALITY_H
#define OMPX_LOCALITY_H
#if defined(__GNUC__)
#pragma GCC system_header
#endif

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- How a call finds the runtime: nothing for users ---- */

static void *ompx_internal_dlsym(void *library, const char *name) __attribute__((__weakref__("dlsym")));

/* The runtime's function of that name, or NULL. *kept remembers the answer. */
static inline void *ompx_internal_find(void **kept, const char *name) {
  void *found = __atomic_load_n(kept, __ATOMIC_RELAXED);
  if (!found) {
    found = ompx_internal_dlsym ? ompx_internal_dlsym(NULL /* RTLD_DEFAULT */, name) : NULL;
    if (!found) found = (void *)1;
    __atomic_store_n(kept, found, __ATOMIC_RELAXED);
  }
  return found == (void *)1 ? NULL : found;
}

#define OMPX_INTERNAL_CALL(type, name, arguments)                        \
  static void *ompx_kept;                                                \
  void *ompx_found = ompx_internal_find(&ompx_kept, name);               \
  if (ompx_found) return ((type)ompx_found)arguments

/* ---- Domains: memory nodes with the CPUs next to them. Source: Olivier 2012, 7.3; Schmidl 2016, 2.3 ---- */

#define OMPX_NO_DOMAIN (-1)

/* How many there are, at least 1: of the machine that the program runs on (EINKORN_MACHINE: of the model), cut down to the CPUs
 * that the process may use. Elsewhere: 1. */
static inline int ompx_get_num_domains(void) {
  OMPX_INTERNAL_CALL(int (*)(void), "ompx_get_num_domains", ());
  return 1;
}

/* The one that the calling thread runs in. A thread that is not bound may be in another one right after. Elsewhere: 0. */
static inline int ompx_get_domain_num(void) {
  OMPX_INTERNAL_CALL(int (*)(void), "ompx_get_domain_num", ());
  return 0;
}

/* How far the memory of domain `to` is from the CPUs of domain `from`: 10 is local, 21 costs about 2.1 times as much. From the
 * system's table, or measured (`einkorn machine --measure`). Need not be symmetric. -1: there is no such domain.
 * Elsewhere: 10 for (0, 0). */
static inline int ompx_domain_distance(int from, int to) {
  OMPX_INTERNAL_CALL(int (*)(int, int), "ompx_domain_distance", (from, to));
  return from == 0 && to == 0 ? 10 : -1;
}

/* ---- Tasks ---- */

/* Tasks that the calling task creates from now on start in this domain. Not inherited: their own children start in the domain
 * of the task that creates them, as without this call. OMPX_NO_DOMAIN: back to that. Under schedules that are not strict a
 * task may still be stolen by another domain that has nothing to do. Wins over a schedule's own choice; an affinity clause
 * and ompx_next_task_affinity() win over this. EINVAL: no such domain. Source: Olivier 2012, 7.3 (omp_child_task_affinity). */
static inline int ompx_child_task_affinity(int domain) {
  OMPX_INTERNAL_CALL(int (*)(int), "ompx_child_task_affinity", (domain));
  return ENOSYS;
}

/* The same for the next task that the calling task creates, and for no other. EINVAL: no such domain.
 * Source: Virouleau et al. 2016 (omp_set_affinity). */
static inline int ompx_next_task_affinity(int domain) {
  OMPX_INTERNAL_CALL(int (*)(int), "ompx_next_task_affinity", (domain));
  return ENOSYS;
}

enum { OMPX_READ = 1, OMPX_WRITE = 2, OMPX_READ_WRITE = 3 };

/* The next task that the calling task creates will read or write the memory [p, p + bytes). Said again, it adds a further range
 * of the same task. For schedules that go by the data where depend clauses do not tell (gcc passes addresses without
 * lengths). mode: OMPX_READ, OMPX_WRITE or OMPX_READ_WRITE; EINVAL: another one. ENOMEM: the range is not noted.
 * Source: what Muddukrishna 2016, 3.4.2 and Virouleau et al. 2016 take from depend clauses. */
static inline int ompx_task_footprint(const void *p, size_t bytes, int mode) {
  OMPX_INTERNAL_CALL(int (*)(const void *, size_t, int), "ompx_task_footprint", (p, bytes, mode));
  return ENOSYS;
}

/* Of what the next task touches (its depend clauses, ompx_task_footprint()) the range that begins at p is what it uses most: the
 * intensity index of a task, by address, as compilers pass the items of depend clauses in an order of their own. Under
 * vicinity:N a task goes to the domain of that range if it was allocated with the policy coarse. NULL: none.
 * Source: Muddukrishna 2016, 3.4.2, algorithm 3. */
static inline int ompx_task_intensity(const void *p) {
  OMPX_INTERNAL_CALL(int (*)(const void *), "ompx_task_intensity", (p));
  return ENOSYS;
}

/* ---- Memory by a policy. All of it goes back with ompx_free(). It is not zeroed. Elsewhere: malloc() and free() ---- */

/* The unit of placement is a page of the machine; on machines whose cache lines have homes (a model with unit_bytes, such as
 * tilepro64) it is a line, and there `standard` lies on all domains, too. Domains without CPUs get nothing.
 * Source: Muddukrishna 2016, 3.4.1. */
typedef enum ompx_policy {
  OMPX_POLICY_STANDARD = 1, /* the system's: as a rule a page goes to the domain of the thread that first writes to it */
  OMPX_POLICY_FINE = 2,     /* the pages of an allocation go to the domains in turn, the first to domain 0 */
  OMPX_POLICY_COARSE = 3    /* an allocation goes to one domain; the allocations of the process go to the domains in turn */
} ompx_policy_t;

/* By the policy that EINKORN_DATA_DISTRIBUTION (or OMP_DATA_DISTRIBUTION) names: standard, fine or coarse; standard if
 * neither is set. Aligned as malloc()'s; with fine and coarse 64, and a whole page where `bytes` is one or more. */
static inline void *ompx_malloc(size_t bytes) {
  OMPX_INTERNAL_CALL(void *(*)(size_t), "ompx_malloc", (bytes));
  return malloc(bytes);
}

/* By this policy. NULL also for a policy that does not exist. */
static inline void *ompx_malloc_policy(size_t bytes, ompx_policy_t policy) {
  OMPX_INTERNAL_CALL(void *(*)(size_t, ompx_policy_t), "ompx_malloc_policy", (bytes, policy));
  return malloc(bytes);
}

/* Pages in turn, as with fine, over the domains only that the calling thread's team runs in: of its places where threads are
 * bound, else all. Outside a parallel region: those of the place list. Source: Schmidl 2016, 3.3. */
static inline void *ompx_alloc_interleaved(size_t bytes) {
  OMPX_INTERNAL_CALL(void *(*)(size_t), "ompx_alloc_interleaved", (bytes));
  return malloc(bytes);
}

/* Blocks of `block_bytes`, rounded up to whole pages, go to the domains in turn. block_bytes 0: one block a domain, all of the
 * same size. Source: Virouleau et al. 2016. */
static inline void *ompx_alloc_block_cyclic(size_t bytes, size_t block_bytes) {
  OMPX_INTERNAL_CALL(void *(*)(size_t, size_t), "ompx_alloc_block_cyclic", (bytes, block_bytes));
  return malloc(bytes);
}

/* An array of rows x columns elements in C's order (Fortran: swap them), cut into blocks of block_rows x block_columns.
 * The domains form a grid, as square as their number allows, p down and q across with p <= q; block (i, j) goes to domain
 * (i mod p) * q + j mod q. A page goes to the domain of the element that begins in it first: exact where the width of a block
 * and of a row are whole pages, otherwise pages belong to one of the blocks that share them. NULL also where one of the
 * numbers is 0, or rows * columns * element_bytes does not fit into a size_t. Source: Virouleau et al. 2016. */
static inline void *ompx_alloc_block_cyclic_2d(size_t rows, size_t columns, size_t element_bytes, size_t block_rows,
                                               size_t block_columns) {
  size_t row, all;
  OMPX_INTERNAL_CALL(void *(*)(size_t, size_t, size_t, size_t, size_t), "ompx_alloc_block_cyclic_2d",
                     (rows, columns, element_bytes, block_rows, block_columns));
  if (!rows || !columns || !element_bytes || !block_rows || !block_columns) return NULL;
  if (__builtin_mul_overflow(columns, element_bytes, &row) || __builtin_mul_overflow(row, rows, &all)) return NULL;
  return malloc(all);
}

/* p: what one of the functions above gave, or NULL. */
static inline void ompx_free(void *p) {
  static void *kept;
  void *found = ompx_internal_find(&kept, "ompx_free");
  if (found) ((void (*)(void *))found)(p);
  else free(p);
}

/* ---- Moving what is there already. Any memory of the process that is its own (not shared with another process) ----
 *
 * What it costs is Schmidl's T = O + x A (2016, 3.3.3): a page moved must be used some 10 to 50 times (next touch: some
 * hundred times) more cheaply until the move has paid. */

/* Every page that [p, p + bytes) touches goes to `domain`, if need be with what else lies in it. Pages that nobody has written to
 * yet will come into being there. EINVAL: no such domain. ENOMEM: no room there, or not mapped: some pages may not have
 * moved. Source: Schmidl 2016, 3.3. */
static inline int ompx_migrate(void *p, size_t bytes, int domain) {
  OMPX_INTERNAL_CALL(int (*)(void *, size_t, int), "ompx_migrate", (p, bytes, domain));
  return ENOSYS;
}

/* The same, to the domain of the calling thread. */
static inline int ompx_fetch(void *p, size_t bytes) {
  OMPX_INTERNAL_CALL(int (*)(void *, size_t), "ompx_fetch", (p, bytes));
  return ENOSYS;
}

/* Each page that lies wholly in [p, p + bytes) goes to the domain of the thread that first reads or writes it from now on.
 * Done with mprotect(2) and a handler for SIGSEGV; the program's own handler, installed before or after, gets all faults that
 * are not of this kind, and sigaction() and signal() answer as if ours were not there. Until it was touched a page must not be
 * given to a system call (read(), write(): they fail with EFAULT) nor have its protection changed. EINVAL: not all of it
 * is mapped as private memory, readable and writable. ENOMEM: the system has no room for more mappings.
 * Source: Schmidl 2016, 3.3, listing 3.1. */
static inline int ompx_next_touch(void *p, size_t bytes) {
  OMPX_INTERNAL_CALL(int (*)(void *, size_t), "ompx_next_touch", (p, bytes));
  return ENOSYS;
}

#undef OMPX_INTERNAL_CALL

/* ---- Fortran ----
 *
 * A program in Fortran needs one file in C beside it:
 *
 *   #define OMPX_FORTRAN
 *   #include <ompx_locality.h>
 *
 * and calls these, with `use, intrinsic :: iso_c_binding`: integers are integer(c_int), sizes integer(c_size_t), allocations
 * return a type(c_ptr) for c_f_pointer(), arrays are passed as they are, with sizes in bytes (c_sizeof(a(1)) * size(a)).
 * Subroutines have the error as their last argument. */
#ifdef OMPX_FORTRAN
#define OMPX_FORTRAN_SUBROUTINE(name, parameters, arguments) \
  void name##_ parameters { *error = name arguments; }
int ompx_get_num_domains_(void) { return ompx_get_num_domains(); }
int ompx_get_domain_num_(void) { return ompx_get_domain_num(); }
int ompx_domain_distance_(const int *from, const int *to) { return ompx_domain_distance(*from, *to); }
OMPX_FORTRAN_SUBROUTINE(ompx_child_task_affinity, (const int *domain, int *error), (*domain))
OMPX_FORTRAN_SUBROUTINE(ompx_next_task_affinity, (const int *domain, int *error), (*domain))
OMPX_FORTRAN_SUBROUTINE(ompx_task_footprint, (const void *p, const size_t *bytes, const int *mode, int *error), (p, *bytes, *mode))
OMPX_FORTRAN_SUBROUTINE(ompx_task_intensity, (const void *p, int *error), (p))
OMPX_FORTRAN_SUBROUTINE(ompx_migrate, (void *p, const size_t *bytes, const int *domain, int *error), (p, *bytes, *domain))
OMPX_FORTRAN_SUBROUTINE(ompx_fetch, (void *p, const size_t *bytes, int *error), (p, *bytes))
OMPX_FORTRAN_SUBROUTINE(ompx_next_touch, (void *p, const size_t *bytes, int *error), (p, *bytes))
void *ompx_malloc_(const size_t *bytes) { return ompx_malloc(*bytes); }
void *ompx_malloc_policy_(const size_t *bytes, const int *policy) { return ompx_malloc_policy(*bytes, (ompx_policy_t)*policy); }
void *ompx_alloc_interleaved_(const size_t *bytes) { return ompx_alloc_interleaved(*bytes); }
void *ompx_alloc_block_cyclic_(const size_t *bytes, const size_t *block) { return ompx_alloc_block_cyclic(*bytes, *block); }
void *ompx_alloc_block_cyclic_2d_(const size_t *rows, const size_t *columns, const size_t *element, const size_t *block_rows,
                                  const size_t *block_columns) {
  return ompx_alloc_block_cyclic_2d(*rows, *columns, *element, *block_rows, *block_columns);
}
void ompx_free_(void **p) { ompx_free(*p); }
#undef OMPX_FORTRAN_SUBROUTINE
#endif

#ifdef __cplusplus
}
#endif
#endif
