/* Where data lives and where tasks run: Einkorn's extension of OpenMP, for C and C++. Fortran: at the end of this file.
 *
 * Prefer OpenMP's own forms where they suffice (docs/memory.md): OMP_PLACES=numa_domains, proc_bind, the affinity
 * clause, allocators with the partition trait. This header adds what they cannot say. ompx_compat.h has the names that
 * the literature uses.
 *
 * A program that includes this file needs no further library and runs unchanged on any OpenMP runtime. At its first
 * call each function looks up whether the runtime in the process provides it (through a weak reference to dlsym(), so
 * that static programs link as before). If the runtime does not, the function does what its comment says under
 * "Elsewhere". Nothing here changes what a correct program computes, only where it happens.
 *
 * Units: sizes are in bytes; domains are numbered from 0; distances are those of ACPI's SLIT, in which 10 is local.
 * Errors: a function whose result is a status returns 0 or an error number of <errno.h>, and leaves errno alone; an
 * allocation returns NULL when there is no memory. Common to all:
 *   ENOSYS  the program does not run on Einkorn's runtime: nothing was done
 *   EINVAL  an argument is outside the range that its function states
 *   EPERM   the system does not let this process choose where memory lies (a container without that permission): the
 *           runtime says so once on stderr, and memory stays where the system puts it
 * Any thread may call any of these functions at any time, inside and outside parallel regions, but not from a signal
 * handler.
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

/* ---- How a call finds the runtime: internal, not for users ---- */

static void* ompx_internal_dlsym(void* library, const char* name) __attribute__((__weakref__("dlsym")));

/* The runtime's function of that name, or NULL. *kept remembers the answer. */
static inline void* ompx_internal_find(void** kept, const char* name) {
  void* found = __atomic_load_n(kept, __ATOMIC_RELAXED);
  if (!found) {
    found = ompx_internal_dlsym ? ompx_internal_dlsym(NULL /* RTLD_DEFAULT */, name) : NULL;
    if (!found) found = (void*)1;
    __atomic_store_n(kept, found, __ATOMIC_RELAXED);
  }
  return found == (void*)1 ? NULL : found;
}

#define OMPX_INTERNAL_CALL(type, name, arguments)          \
  static void* ompx_kept;                                  \
  void* ompx_found = ompx_internal_find(&ompx_kept, name); \
  if (ompx_found) return ((type)ompx_found)arguments

/* ---- Domains: memory nodes with the CPUs next to them. Source: Olivier 2012, 7.3; Schmidl 2016, 2.3 ---- */

#define OMPX_NO_DOMAIN (-1)

/* The number of domains, at least 1: those of the machine that the program runs on (of the model, with
 * EINKORN_MACHINE), limited to the CPUs that the process may use. Elsewhere: 1. */
static inline int ompx_get_num_domains(void) {
  OMPX_INTERNAL_CALL(int (*)(void), "ompx_get_num_domains", ());
  return 1;
}

/* The domain in which the calling thread runs. A thread that is not bound may be in another one right afterwards.
 * Elsewhere: 0. */
static inline int ompx_get_domain_num(void) {
  OMPX_INTERNAL_CALL(int (*)(void), "ompx_get_domain_num", ());
  return 0;
}

/* How far the memory of domain `to` is from the CPUs of domain `from`: 10 is local, 21 costs about 2.1 times as much.
 * From the system's table, or measured (`einkorn machine --measure`). It need not be symmetric. -1: there is no such
 * domain. Elsewhere: 10 for (0, 0). */
static inline int ompx_domain_distance(int from, int to) {
  OMPX_INTERNAL_CALL(int (*)(int, int), "ompx_domain_distance", (from, to));
  return from == 0 && to == 0 ? 10 : -1;
}

/* ---- Tasks ---- */

/* Tasks that the calling task creates from now on start in this domain. They do not inherit this: their own children
 * start in the domain of the task that creates them, as they would without this call. OMPX_NO_DOMAIN ends it. Unless
 * the schedule is strict, another domain that has nothing to do may still steal such a task. This call overrides the
 * schedule's own choice; an affinity clause and ompx_next_task_affinity() override this call. EINVAL: no such domain.
 * Source: Olivier 2012, 7.3 (omp_child_task_affinity). */
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

/* The next task that the calling task creates will read or write the memory [p, p + bytes). Another call before that
 * task adds another range for it. This serves schedules that go by the data where depend clauses do not tell enough
 * (gcc passes addresses without lengths). mode: OMPX_READ, OMPX_WRITE or OMPX_READ_WRITE; EINVAL: any other value.
 * ENOMEM: the range was not noted. Source: what Muddukrishna 2016, 3.4.2 and Virouleau et al. 2016 take from depend
 * clauses. */
static inline int ompx_task_footprint(const void* p, size_t bytes, int mode) {
  OMPX_INTERNAL_CALL(int (*)(const void*, size_t, int), "ompx_task_footprint", (p, bytes, mode));
  return ENOSYS;
}

/* The range that begins at p is the one that the next task uses most, among those of its depend clauses and of
 * ompx_task_footprint(). This is the intensity index of a task, given as an address because compilers pass the items of
 * depend clauses in an order of their own. Under vicinity:N a task goes to the domain of that range if the range was
 * allocated with the policy coarse. NULL: no range. Source: Muddukrishna 2016, 3.4.2, algorithm 3. */
static inline int ompx_task_intensity(const void* p) {
  OMPX_INTERNAL_CALL(int (*)(const void*), "ompx_task_intensity", (p));
  return ENOSYS;
}

/* ---- Memory by a policy: not zeroed, freed with ompx_free(). Elsewhere: malloc() and free() ---- */

/* The unit of placement is a page of the machine; on machines whose cache lines have homes (a model with unit_bytes,
 * such as tilepro64) it is a cache line, and memory of `standard`, too, lies on all domains. Domains without CPUs get
 * nothing. Source: Muddukrishna 2016, 3.4.1. */
typedef enum ompx_policy {
  OMPX_POLICY_STANDARD =
      1,                /* the system's: as a rule a page goes to the domain of the thread that first writes to it */
  OMPX_POLICY_FINE = 2, /* the pages of an allocation go to the domains in turn, the first to domain 0 */
  OMPX_POLICY_COARSE =
      3 /* an allocation goes to one domain; the allocations of the process go to the domains in turn */
} ompx_policy_t;

/* Allocates by the policy that EINKORN_DATA_DISTRIBUTION (or OMP_DATA_DISTRIBUTION) names: standard, fine or coarse;
 * standard if neither is set. Aligned as by malloc(); with fine and coarse to 64 bytes, or to a page if `bytes` is a
 * page or more. */
static inline void* ompx_malloc(size_t bytes) {
  OMPX_INTERNAL_CALL(void* (*)(size_t), "ompx_malloc", (bytes));
  return malloc(bytes);
}

/* Allocates by this policy. Returns NULL also for a policy that does not exist. */
static inline void* ompx_malloc_policy(size_t bytes, ompx_policy_t policy) {
  OMPX_INTERNAL_CALL(void* (*)(size_t, ompx_policy_t), "ompx_malloc_policy", (bytes, policy));
  return malloc(bytes);
}

/* Pages go in turn, as with fine, but only to the domains in which the calling thread's team runs: those of its places
 * if threads are bound, otherwise all. Outside a parallel region: those of the place list. Source: Schmidl 2016,
 * 3.3. */
static inline void* ompx_alloc_interleaved(size_t bytes) {
  OMPX_INTERNAL_CALL(void* (*)(size_t), "ompx_alloc_interleaved", (bytes));
  return malloc(bytes);
}

/* Blocks of `block_bytes`, rounded up to whole pages, go to the domains in turn. block_bytes 0: one block per domain,
 * all of the same size. Source: Virouleau et al. 2016. */
static inline void* ompx_alloc_block_cyclic(size_t bytes, size_t block_bytes) {
  OMPX_INTERNAL_CALL(void* (*)(size_t, size_t), "ompx_alloc_block_cyclic", (bytes, block_bytes));
  return malloc(bytes);
}

/* An array of rows x columns elements in C's order (Fortran: swap them), cut into blocks of block_rows x block_columns.
 * The domains form a grid, as square as their number allows, p down and q across with p <= q; block (i, j) goes to
 * domain (i mod p) * q + j mod q. A page goes to the domain of the first element that begins in it. This is exact where
 * the width of a block and of a row are whole pages; otherwise a page belongs to one of the blocks that share it.
 * Returns NULL also if one of the numbers is 0, or if rows * columns * element_bytes does not fit into a size_t.
 * Source: Virouleau et al. 2016. */
static inline void* ompx_alloc_block_cyclic_2d(size_t rows, size_t columns, size_t element_bytes, size_t block_rows,
                                               size_t block_columns) {
  size_t row, all;
  OMPX_INTERNAL_CALL(void* (*)(size_t, size_t, size_t, size_t, size_t), "ompx_alloc_block_cyclic_2d",
                     (rows, columns, element_bytes, block_rows, block_columns));
  if (!rows || !columns || !element_bytes || !block_rows || !block_columns) return NULL;
  if (__builtin_mul_overflow(columns, element_bytes, &row) || __builtin_mul_overflow(row, rows, &all)) return NULL;
  return malloc(all);
}

/* Frees the result of one of the functions above. NULL: does nothing. */
static inline void ompx_free(void* p) {
  static void* kept;
  void* found = ompx_internal_find(&kept, "ompx_free");
  if (found) ((void (*)(void*))found)(p);
  else free(p);
}

/* ---- Moving memory that is there already: any that the process does not share with another process ----
 *
 * The cost is Schmidl's T = O + x A (2016, 3.3.3): a move pays once the page has been used some 10 to 50 times (next
 * touch: some hundred times) at the lower cost. */

/* Every page that [p, p + bytes) touches goes to `domain`, with whatever else lies in it. Pages that nobody has written
 * to yet will come into being there. EINVAL: no such domain. ENOMEM: there is no room, or part of the range is not
 * mapped; some pages may not have moved. Source: Schmidl 2016, 3.3. */
static inline int ompx_migrate(void* p, size_t bytes, int domain) {
  OMPX_INTERNAL_CALL(int (*)(void*, size_t, int), "ompx_migrate", (p, bytes, domain));
  return ENOSYS;
}

/* The same, to the domain of the calling thread. */
static inline int ompx_fetch(void* p, size_t bytes) {
  OMPX_INTERNAL_CALL(int (*)(void*, size_t), "ompx_fetch", (p, bytes));
  return ENOSYS;
}

/* Each page that lies wholly in [p, p + bytes) goes to the domain of the thread that first reads or writes it from now
 * on. This works by mprotect(2) and a handler for SIGSEGV. The program's own handler, installed before or after, gets
 * all other faults, and sigaction() and signal() answer as if Einkorn's were not there. Until a page has been touched
 * it must not be passed to a system call (read(), write(): they fail with EFAULT), nor may its protection be changed.
 * EINVAL: part of the range is not mapped as private memory, readable and writable. ENOMEM: the system has no room for
 * more mappings. Source: Schmidl 2016, 3.3, listing 3.1. */
static inline int ompx_next_touch(void* p, size_t bytes) {
  OMPX_INTERNAL_CALL(int (*)(void*, size_t), "ompx_next_touch", (p, bytes));
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
 * and calls these, with `use, intrinsic :: iso_c_binding`: integers are integer(c_int), sizes integer(c_size_t),
 * allocations return a type(c_ptr) for c_f_pointer(), arrays are passed as they are, with sizes in bytes
 * (c_sizeof(a(1)) * size(a)). Subroutines have the error as their last argument. */
#ifdef OMPX_FORTRAN
#define OMPX_FORTRAN_SUBROUTINE(name, parameters, arguments) \
  void name##_ parameters { *error = name arguments; }
int ompx_get_num_domains_(void) { return ompx_get_num_domains(); }
int ompx_get_domain_num_(void) { return ompx_get_domain_num(); }
int ompx_domain_distance_(const int* from, const int* to) { return ompx_domain_distance(*from, *to); }
OMPX_FORTRAN_SUBROUTINE(ompx_child_task_affinity, (const int* domain, int* error), (*domain))
OMPX_FORTRAN_SUBROUTINE(ompx_next_task_affinity, (const int* domain, int* error), (*domain))
OMPX_FORTRAN_SUBROUTINE(ompx_task_footprint, (const void* p, const size_t* bytes, const int* mode, int* error),
                        (p, *bytes, *mode))
OMPX_FORTRAN_SUBROUTINE(ompx_task_intensity, (const void* p, int* error), (p))
OMPX_FORTRAN_SUBROUTINE(ompx_migrate, (void* p, const size_t* bytes, const int* domain, int* error),
                        (p, *bytes, *domain))
OMPX_FORTRAN_SUBROUTINE(ompx_fetch, (void* p, const size_t* bytes, int* error), (p, *bytes))
OMPX_FORTRAN_SUBROUTINE(ompx_next_touch, (void* p, const size_t* bytes, int* error), (p, *bytes))
void* ompx_malloc_(const size_t* bytes) { return ompx_malloc(*bytes); }
void* ompx_malloc_policy_(const size_t* bytes, const int* policy) {
  return ompx_malloc_policy(*bytes, (ompx_policy_t)*policy);
}
void* ompx_alloc_interleaved_(const size_t* bytes) { return ompx_alloc_interleaved(*bytes); }
void* ompx_alloc_block_cyclic_(const size_t* bytes, const size_t* block) {
  return ompx_alloc_block_cyclic(*bytes, *block);
}
void* ompx_alloc_block_cyclic_2d_(const size_t* rows, const size_t* columns, const size_t* element,
                                  const size_t* block_rows, const size_t* block_columns) {
  return ompx_alloc_block_cyclic_2d(*rows, *columns, *element, *block_rows, *block_columns);
}
void ompx_free_(void** p) { ompx_free(*p); }
#undef OMPX_FORTRAN_SUBROUTINE
#endif

#ifdef __cplusplus
}
#endif
#endif
