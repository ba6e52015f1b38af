// Regions that macros make, that name their variables in macros, and that conditions cut.
// regions: 8 of 8
#include "check.h"

#define PRAGMA(text) _Pragma(#text)
#define LOOP(clauses) PRAGMA(omp parallel for clauses) for (int i = 0; i < n; i++)
#define TWICE(x)                                        \
  do {                                                  \
    LOOP(schedule(static)) x[i] += 1;                   \
    LOOP(schedule(dynamic, 2)) x[i] += (x)[i] ? 1 : 5;  \
  } while (0)
#define COUNTED total++
#define SCHEDULE guided, 4
#define REGION_END }

static int x[100];

int main(void) {
  int n = 100, total = 0;
  LOOP() x[i] = i;
  TWICE(x);
  CHECK(x[0] == 2 && x[99] == 101);
#pragma omp parallel for schedule(SCHEDULE) num_threads(n > 2 ? 2 : 1)
  for (int i = 0; i < n; i++) x[i] = 1;
  int threads = 0;
#pragma omp parallel
  {
#pragma omp critical
    {
      COUNTED;
      threads = omp_get_num_threads();
    }
  REGION_END
  CHECK(total == threads);
#pragma omp parallel
  {
#ifdef WITH_ATOMIC
#pragma omp atomic
    total++;
  }
#else
#pragma omp master
    total = 0;
  }
#endif
  CHECK(total == 0);
#define COUNTED_TOO total += 2
#pragma omp parallel num_threads(1)
  COUNTED_TOO;
#undef COUNTED_TOO
#ifdef _OPENMP
#pragma omp parallel for reduction(+ : total)
#endif
  for (int i = 0; i < n; i++) total += x[i];
  CHECK(total == n + 2);
  return 0;
}
