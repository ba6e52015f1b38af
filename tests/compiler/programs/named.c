// Functions that are called by names of libc's, or by libc, and wait for other instances: these need threads. A variable
// that has the name of a struct.
// regions: 4 of 4
#include "check.h"
#include <sched.h>

// As if it stood in another file.
int randf(void) __asm__("together");
int together(void);

static int here;
// Until all are here.
int together(void) {
  int arrived;
#pragma omp atomic
  here++;
  do {
    sched_yield(); /* threads are more than CPUs */
#pragma omp atomic read
    arrived = here;
  } while (arrived < omp_get_num_threads());
#pragma omp barrier
  return 1;
}

static int waits(const void *a, const void *b) { return together() - 1 + *(const int *)a - *(const int *)b; }

static void sorted(int *x, int (*compare)(const void *, const void *)) { qsort(x, 2, sizeof *x, compare); }

struct pair {
  int first, second;
};
static int by_tag(int n) {
  struct pair *pair = NULL;
  int sum = 0;
#pragma omp parallel reduction(+ : sum)
  {
#pragma omp single
    pair = calloc(1, sizeof(struct pair));
    const struct
        pair *same = (struct pair *)pair;
#pragma omp for
    for (int i = 0; i < n; i++) sum += same->first + 1;
  }
  free(pair);
  return sum;
}

int main(void) {
  int n = 0, sum = 0;
  for (int round = 0; round < 150; round++) {
    here = 0;
#pragma omp parallel reduction(+ : sum, n)
    {
      n++;
      sum += randf();
    }
    here = 0;
#pragma omp parallel reduction(+ : sum, n)
    {
      int x[2] = {2, 1};
      qsort(x, 2, sizeof *x, waits);
      n++;
      sum += x[0];
    }
    here = 0;
#pragma omp parallel reduction(+ : sum, n)
    {
      int x[2] = {2, 1};
      sorted(x, waits);
      n++;
      sum += x[0];
    }
  }
  CHECK(n == sum);
  CHECK(by_tag(1000) == 1000);
}
