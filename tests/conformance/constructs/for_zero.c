// Loops without an iteration, bounds the wrong way round: the body never runs, the construct's barrier still stands, and
// lastprivate leaves its variable alone where nothing was last.
#include <limits.h>

#include "check.h"

static int ran;

#define NEVER(clause)                                                                           \
  do {                                                                                          \
    _Pragma(clause) for (int i = low; i < low; ++i) add_one(&ran);                               \
    _Pragma(clause) for (int i = 5; i < low; ++i) add_one(&ran);                                 \
    _Pragma(clause) for (long i = low; i > 5; --i) add_one(&ran);                                \
    _Pragma(clause) for (unsigned long long i = 7; i < zero; ++i) add_one(&ran);                 \
    _Pragma(clause) for (unsigned i = 9; i < (unsigned)zero; i += 3) add_one(&ran);              \
    _Pragma(clause) for (long i = LONG_MAX; i < low; ++i) add_one(&ran);              \
  } while (0)

int main(int argc, char **argv) {
  (void)argv;
  int low = argc - 1;  // 0, but the compiler does not know
  unsigned long long zero = (unsigned long long)low;
  NEVER("omp parallel for");
  NEVER("omp parallel for schedule(static, 2)");
  NEVER("omp parallel for schedule(dynamic)");
  NEVER("omp parallel for schedule(guided, 3)");
  NEVER("omp parallel for schedule(runtime)");
  NEVER("omp parallel for ordered schedule(dynamic)");
  NEVER("omp parallel for ordered schedule(static)");
#pragma omp parallel
  {
    NEVER("omp for schedule(dynamic, 4)");
    NEVER("omp for schedule(static)");
    NEVER("omp for schedule(guided) nowait");
  }
  CHECK_EQUAL(ran, 0);
  int kept = 77;
#pragma omp parallel for schedule(dynamic) firstprivate(kept) lastprivate(kept)
  for (int i = 0; i < low; ++i) kept = i;
  CHECK_EQUAL(kept, 77);
  return check_end();
}
