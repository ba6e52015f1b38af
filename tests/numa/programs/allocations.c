// Hints place what single calls allocate (docs/tuning.md): malloc() and its relations stay whole, and each block's pages lie where its
// hint says, also those that had memory before. The hints are about this file without a build-id, by the addresses of its functions.
// link: -Wl,--build-id=none
// run plain: LD_PRELOAD=/einkorn/libeinkorn-allocations.so
#include <malloc.h>
#include <omp.h>
#include <sys/prctl.h>
#include "numa_check.h"

enum { kPages = 120 };
#define OWN __attribute__((noinline, aligned(64)))
extern const char __executable_start;

/* Each a function of its own, with its call in the middle: what follows keeps it from being a jump. */
static void *volatile kept;
#define CALL(name, call) \
  OWN static char *name(char *from, size_t bytes) { \
    (void)from; \
    kept = call; \
    return kept; \
  }
CALL(not_placed, malloc(bytes))
CALL(fine, malloc(bytes))
CALL(fine_zeros, calloc(bytes / 8, 8))
CALL(blocked, aligned_alloc(kPage, bytes))
CALL(blocked_again, realloc(from, bytes))
CALL(coarse, memalign(256, bytes))
CALL(nearest, malloc(bytes))
OWN static char *from_posix(char *from, size_t bytes) {
  void *p = from;
  kept = posix_memalign(&p, 1 << 16, bytes) ? NULL : p;
  return kept;
}

static void write_all(char *p, size_t bytes) {
  for (size_t i = 0; i < bytes; i += 64) p[i] = 1;
}

static void hint(char *text, const char *name, const char *place, const void *begin, const void *end) {
  sprintf(text + strlen(text), "allocation %s at 0x%lx-0x%lx place=%s\n", name, (unsigned long)begin - (unsigned long)&__executable_start,
          (unsigned long)end - (unsigned long)&__executable_start, place);
}

static void with_hints(char **argv) {
  char text[2000];
  begin_hints(text, argv);
  hint(text, "fine", "fine", fine, (const char *)fine + 64);
  hint(text, "fine_zeros", "fine", fine_zeros, (const char *)fine_zeros + 64);
  hint(text, "blocked", "blocked", blocked, (const char *)blocked + 64);
  hint(text, "blocked_again", "blocked", blocked_again, (const char *)blocked_again + 64);
  hint(text, "coarse", "coarse", coarse, (const char *)coarse + 64);
  hint(text, "nearest", "nearest", nearest, (const char *)nearest + 64);
  hint(text, "from_posix", "fine", from_posix, (const char *)from_posix + 64);
  again_with_hints(text, argv);
}

int main(int argc, char **argv) {
  (void)argc;
  prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0); /* blocks side by side would share huge pages; it outlasts execv() */
  if (!getenv("EINKORN_HINTS")) with_hints(argv);
  go_to_node(1);
  const size_t bytes = kPages * kPage;
  CHECK(omp_get_max_threads() > 0); /* links the runtime */
  /* Twice: the second time it is memory that was used before. */
  for (int k = 0; k < 2; ++k) {
    char *p = not_placed(NULL, bytes);
    write_all(p, bytes);
    /* What was placed and freed may be given to others, where it is. */
    for (int i = 0; k == 0 && i < kPages - 1; ++i) CHECK_EQUAL(whole_page_node(p, i), 1);
    char *f = fine(NULL, bytes), *z = fine_zeros(NULL, bytes), *b = blocked(NULL, bytes), *n = nearest(NULL, bytes),
         *x = from_posix(NULL, bytes);
    CHECK(f && z && b && n && x);
    for (size_t i = 0; i < bytes; ++i) CHECK(z[i] == 0);
    write_all(f, bytes), write_all(z, bytes), write_all(b, bytes), write_all(n, bytes), write_all(x, bytes);
    check_fine(f, kPages - 1), check_fine(z, kPages - 1), check_fine(x, kPages - 1), check_blocked(b, bytes);
    for (int i = 0; i < kPages - 1; ++i) CHECK_EQUAL(whole_page_node(n, i), 1);
    int first = -1;
    for (int i = 0; i < kNodes; ++i) {
      char *c = coarse(NULL, bytes);
      write_all(c, bytes);
      if (i == 0) first = whole_page_node(c, 0);
      for (int j = 0; j < kPages - 1; ++j) CHECK_EQUAL(whole_page_node(c, j), (first + i) % kNodes);
      CHECK(malloc_usable_size(c) >= bytes);
      free(c);
    }
    for (size_t i = 0; i < bytes; i += 64) b[i] = (char)(i / 64);
    b = blocked_again(b, 3 * bytes);
    for (size_t i = 0; i < bytes; i += 64) CHECK(b[i] == (char)(i / 64));
    write_all(b, 3 * bytes);
    check_blocked(b, 3 * bytes);
    char *small = fine(NULL, 1000);
    memset(small, 7, 1000);
    free(small), free(f), free(z), free(b), free(n), free(x), free(p);
  }
  return check_end();
}
