// Hints place global variables (docs/tuning.md): each one's whole pages lie where its line says, those of others where they are first
// touched; what the linker or a constructor has written stays. The hints are about this file without a build-id, by the addresses of
// its variables.
// link: -Wl,--build-id=none
#include <omp.h>
#include <sys/prctl.h>
#include "numa_check.h"

enum { kPages = 60, kBytes = kPages * kPage };
extern const char __executable_start;

static char not_placed[kBytes], fine[kBytes], blocked[kBytes], coarse[kBytes], nearest[kBytes];
/* In the file, with pointers that the dynamic linker writes. */
static struct {
  const char *first;
  char rest[kBytes];
} filled = {fine, {7, 8}};
static const char only_read[kBytes] = {5};

static void hint(char *text, const char *name, const char *place, const void *begin, size_t bytes) {
  unsigned long at = (unsigned long)begin - (unsigned long)&__executable_start;
  sprintf(text + strlen(text), "variable %s at 0x%lx-0x%lx place=%s\n", name, at, at + bytes, place);
}

static void with_hints(char **argv) {
  char text[2000];
  begin_hints(text, argv);
  hint(text, "fine", "fine", fine, kBytes);
  hint(text, "blocked", "blocked", blocked, kBytes);
  hint(text, "coarse", "coarse", coarse, kBytes);
  hint(text, "nearest", "nearest", nearest, kBytes);
  hint(text, "filled", "blocked", &filled, sizeof filled);
  /* Nothing that a program writes to; and beyond the file's memory. */
  hint(text, "only_read", "fine", only_read, kBytes);
  strcat(text, "variable none at 0x7000000-0x8000000 place=fine\nvariable long at 0x10-0x80000000000 place=fine\n");
  again_with_hints(text, argv);
}

int main(int argc, char **argv) {
  (void)argc;
  prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0); /* variables side by side would share huge pages; it outlasts execv() */
  if (!getenv("EINKORN_HINTS")) with_hints(argv);
  go_to_node(1);
  CHECK(omp_get_max_threads() > 0); /* links the runtime */
  CHECK(filled.first == fine && filled.rest[0] == 7 && filled.rest[1] == 8 && filled.rest[2] == 0 && only_read[0] == 5);
  char *all[] = {not_placed, fine, blocked, coarse, nearest, filled.rest};
  for (int k = 0; k < 6; ++k)
    for (size_t i = 0; i < kBytes; i += 64) {
      CHECK(all[k][i] == (k == 5 && i == 0 ? 7 : 0));
      all[k][i] = 1;
    }
  check_fine(fine, kPages - 1);
  for (size_t i = 0; i < kPages - 1; ++i) {
    CHECK_EQUAL(whole_page_node(not_placed, i), 1);
    CHECK_EQUAL(whole_page_node(coarse, i), whole_page_node(coarse, 0));
    CHECK_EQUAL(whole_page_node(nearest, i), whole_page_node(nearest, 0)); /* where the thread was that loaded the library */
  }
  check_blocked(blocked, kBytes);
  check_blocked((const char *)&filled, sizeof filled);
  return check_end();
}
