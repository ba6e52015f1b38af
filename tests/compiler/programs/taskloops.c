// Taskloops that give values back to what is shared, or lives over sync points; constants of the function's own.
// Compilers warn of their own code.
// regions: 12 of 13
#include "check.h"

#include <string.h>

enum { MOST = 1 };
#define TWICE (2 * MOST)

static int global;

static void shared(int n) {
  int last = -1, i = -1, j = 0, pair[3] = {7};
  long sum = 5;
#pragma omp parallel shared(last)
#pragma omp single
  {
#pragma omp taskloop lastprivate(last, i) reduction(+ : sum) grainsize(7)
    for (i = 0; i < n; i++) last = i * 2, sum += i;
    CHECK(i == n && last == 2 * n - 2 && sum == 5 + (long)n * (n - 1) / 2);
#pragma omp taskloop lastprivate(pair, global) firstprivate(pair) if (n > 50)
    for (int k = 0; k < n; k++) pair[1] = k, global = k + pair[0];
    CHECK(pair[0] == 7 && pair[1] == n - 1 && global == n + 6);
#pragma omp taskloop collapse(2) lastprivate(i, j, last) num_tasks(5)
    for (i = 0; i < n; i++)
      for (j = 0; j < 3; j++) last = i - j;
    CHECK(i == n && j == 3 && last == n - 3);
  }
  CHECK(last == n - 3 && sum == 5 + (long)n * (n - 1) / 2);
#pragma omp parallel
#pragma omp master
  {
#pragma omp taskloop nogroup lastprivate(last)
    for (int k = 0; k < n; k++) last = k;
#pragma omp taskwait
  }
  CHECK(last == n - 1);
#pragma omp parallel private(j)
#pragma omp single private(j)
#pragma omp taskloop lastprivate(last, i) private(j)
  for (i = 0; i < n; i++) last = j = i + 1;
  CHECK(last == n && i == n);
  long count = 0;
#pragma omp parallel master num_threads(4)
#pragma omp taskloop collapse(2) lastprivate(i, j, last) reduction(+ : count)
  for (i = 0; i < n; i++)
    for (j = 0; j < 4; j++) last = i + j, count++;
  CHECK(i == n && j == 4 && last == n + 2 && count == 4 * n);
#pragma omp parallel master reduction(task, + : count)
#pragma omp taskloop lastprivate(i, last) in_reduction(+ : count)
  for (i = 0; i < n; i++) last = 2 * i, count++;
  CHECK(i == n && last == 2 * n - 2 && count == 5 * n);
#pragma omp parallel
  {
    if (n > 0)
#pragma omp masked
#pragma omp taskloop reduction(+ : sum)
      for (int k = 0; k < n; k++) sum++;
#pragma omp barrier
#pragma omp for simd schedule(static, 4) firstprivate(n) lastprivate(last)
    for (int k = 0; k < 64; k++) last = k + n;
  }
  CHECK(sum == 5 + (long)n * (n + 1) / 2 && last == n + 63);
}

// Each thread has its own, which lives over barriers in memory of its own.
static void own(int n) {
#pragma omp parallel num_threads(3)
  {
    int live = 2;
    double sum = 0;
    int *const at = &live;
#pragma omp barrier
    CHECK(*at == 2);
#pragma omp taskloop lastprivate(live) collapse(2) reduction(+ : sum)
    for (int k = 0; k < n; k++)
      for (int l = 0; l < 3; l++) live = k + l + omp_get_thread_num() * 0, sum += 1;
    CHECK(*at == n + 1 && sum == 3 * n);
#pragma omp barrier
    CHECK(live == n + 1);
  }
}

static int constants(int n) {
  enum { MOST = 30, LEAST = -5 };
  int sum = 0, seen[MOST] = {0};
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < MOST; i++) sum += i + LEAST, seen[i] = TWICE;
  CHECK(sum == MOST * (MOST - 1) / 2 + MOST * LEAST && seen[MOST - 1] == 60);
#pragma omp parallel num_threads(MOST / 10)
  {
    int part[TWICE];
    part[TWICE - 1] = omp_get_thread_num();
#pragma omp barrier
#pragma omp critical
    sum += part[2 * MOST - 1] * 0 + (int)sizeof part;
#pragma omp taskloop
    for (int i = 0; i < MOST; i++) seen[i] = 60;
  }
  CHECK(seen[0] == 60 && seen[2] == TWICE && n > 0);
  return sum;
}

// Two of a name.
static void again(int n) {
  enum { MOST = 3 };
  int seen[MOST] = {0};
  {
    enum { MOST = 2 };
#pragma omp parallel num_threads(1)
    for (int i = 0; i < n; i++) seen[i % 2] = MOST;
  }
  CHECK(seen[0] == 2 && seen[1] == 2 && seen[MOST - 1] == 0);
}

// One of the file's, and others of that name in blocks beside the region; also where a macro names it.
enum { SIDE = 1, MACRO = 10 };
#define NAMED MACRO
static void beside(int n) {
  int sum = 0, other = 0;
  {
    enum { SIDE = 2, MACRO = 20 };
    other += SIDE + NAMED;
  }
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; i++) sum += SIDE + NAMED;
  CHECK(sum == 11 * n && other == 22);
}

// Of a loop without an iteration nothing is given back: somebody else has set it meanwhile.
static void nothing(int n) {
  for (int repeat = 0; repeat < 200; repeat++) {
    int last = 0;
#pragma omp parallel num_threads(2)
    {
#pragma omp single nowait
      {
#pragma omp taskloop lastprivate(last)
        for (int i = n; i < 0; i++) last = i;
      }
#pragma omp single nowait
      last = 5;
    }
    CHECK(last == 5);
  }
}

// Rows that depend on the one outside, of which some or all are empty.
static void rows(int n) {
  static int i, j, x;
  i = j = x = -7;
  int *p = NULL, cells[8] = {0};
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp taskloop collapse(2) lastprivate(i, j, x)
    for (i = 0; i < n; i++)
      for (j = 3; j < i; j++) x = 10 * i + j;
#pragma omp taskloop lastprivate(p)
    for (p = cells; p < cells + n; p += 2) *p = n;
  }
  if (n <= 4) CHECK(i == -7 && j == -7 && x == -7);
  else CHECK(i == n && j == n - 1 && x == 10 * (n - 1) + n - 2);
  CHECK(n == 0 ? p == NULL : p == cells + (n + 1) / 2 * 2 && cells[0] == n);
}

int main(void) {
  for (int n = strstr(__VERSION__, "lang") ? 5 : 0; n < 8; n++) rows(n);
  shared(100);
  own(60);
  CHECK(constants(12) >= 285 + (int)sizeof(int) * 60);
  again(12);
  beside(12);
  // clang's own code gives something back of a loop without iterations.
  if (!strstr(__VERSION__, "lang")) nothing(0);
  return 0;
}
