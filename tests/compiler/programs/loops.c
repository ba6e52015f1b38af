// Loops: all directions, steps and types; schedules that the runtime deals out.
// regions: 9 of 9
#include "check.h"

enum { N = 1000 };
static int seen[N + 8];

static void expect(int from, int to, int step) {
  for (int i = 0; i < N; i++) {
    int wanted = i >= from && i < to && (i - from) % step == 0;
    CHECK(seen[i] == wanted);
    seen[i] = 0;
  }
}

static void statics(int lo, int hi, size_t big) {
  int i;
  unsigned u;
  long step = 7;
  int *p;
#pragma omp parallel
  {
#pragma omp for
    for (i = lo; i < hi; i++) seen[i]++;
#pragma omp single
    expect(lo, hi, 1);
#pragma omp for
    for (i = lo; i <= hi; ++i) seen[i]++;
#pragma omp single
    expect(lo, hi + 1, 1);
#pragma omp for
    for (i = hi - 1; i >= lo; i--) seen[i]++;
#pragma omp single
    expect(lo, hi, 1);
#pragma omp for
    for (i = lo; hi > i; i += step) seen[i]++;
#pragma omp single
    expect(lo, hi, 7);
#pragma omp for
    for (u = 20; u > 10; u -= 1) seen[u]++;
#pragma omp single
    expect(11, 21, 1);
#pragma omp for
    for (size_t k = 3; k < big; k = k + sizeof(int)) seen[k]++;
#pragma omp single
    expect(3, (int)big, 4);
#pragma omp for
    for (p = seen + lo; p < seen + hi; p += 2) ++*p;
#pragma omp single
    expect(lo, hi, 2);
#pragma omp for
    for (p = &seen[hi]; p > &seen[lo]; p--) ++*p;
#pragma omp single
    expect(lo + 1, hi + 1, 1);
#pragma omp for
    for (short s = 5; s < 4; s++) abort();
#pragma omp for
    for (i = hi; i < lo; i += step) abort();
#pragma omp for
    for (unsigned char c = 0; c <= 250; c += 2) seen[c]++;
#pragma omp single
    expect(0, 251, 2);
  }
}

static void dealt(int n, int chunk) {
  int i, j, total = 0;
#pragma omp parallel
  {
#pragma omp for schedule(dynamic, chunk)
    for (i = 0; i < n; i++) seen[i]++;
#pragma omp for schedule(guided)
    for (i = 0; i < n; i++) seen[i]++;
#pragma omp for schedule(static, chunk)
    for (i = 0; i < n; i++) seen[i] -= 1;
#pragma omp for schedule(runtime)
    for (i = 0; i < n; i++) seen[i] += 0;
#pragma omp single
    expect(0, n, 1);
#pragma omp for collapse(2) private(j) reduction(+ : total)
    for (i = 0; i < 10; i++)
      for (j = 0; j < n; j++) total++;
  }
  CHECK(total == 10 * n);
#pragma omp parallel for schedule(dynamic, chunk) private(j)
  for (i = 0; i < n; i++) {
    j = i;
    if (j % 2) continue;
    seen[j]++;
  }
  expect(0, n, 2);
#pragma omp parallel for collapse(2) schedule(static, 1)
  for (i = 0; i < 10; i++)
    for (int k = 0; k < 10; k++) seen[10 * i + k]++;
  expect(0, 100, 1);
#pragma omp parallel for simd reduction(+ : total)
  for (int j = 0; j < n; j++) total += 2;
  /* Its counter has a value afterwards: this one stays OpenMP's. */
#pragma omp parallel for simd
  for (i = 0; i < N; i++) seen[i] = i == N - 1 ? 1 : 0;
  CHECK(i == N && seen[N - 1] == 1);
  seen[N - 1] = 0;
  CHECK(total == 12 * n);
}

static void sections(void) {
  int a = 0, b = 0, c = 5, sum = 0;
#pragma omp parallel
  {
#pragma omp sections firstprivate(c) reduction(+ : sum)
    {
      a = c++, sum += a;
#pragma omp section
      b = c++, sum += b;
#pragma omp section
      {
        sum += 100;
      }
    }
    if (a != 5 || b < 5 || b > 6) abort();
  }
  CHECK(sum == 100 + a + b && c == 5);
}

/* The loop's variable hides the region's, which lives over the loop's end. */
static void hidden(void) {
  int i = 5, bad = 0;
#pragma omp parallel private(i) reduction(+ : bad)
  {
    i = 6;
#pragma omp for
    for (i = 0; i < 10; i++) seen[i]++;
    bad += i != 6;
  }
  CHECK(bad == 0 && i == 5);
  expect(0, 10, 1);
}

/* At the ends of what the types hold. */
static void extremes(void) {
  const unsigned long long top = ~0ull, half = 1ull << 63;
  const long long most = 0x7fffffffffffffffll;
#pragma omp parallel
  {
#pragma omp for
    for (unsigned long long u = top - 20; u < top - 10; u++) seen[u - (top - 20)]++;
#pragma omp for
    for (unsigned long long u = half - 5; u < half + 5; u++) seen[u - (half - 5)]++;
#pragma omp for
    for (long long l = -most + 30000; l >= -most + 10000; l -= 10000)
#pragma omp atomic
      seen[0]++;
#pragma omp for
    for (unsigned u = 5; u < 3; u++) abort();
  }
  CHECK(seen[0] == 5 && seen[1] == 2);
  for (int i = 0; i < 10; i++) seen[i] = 0;
}

int main(void) {
  hidden();
  extremes();
  statics(3, 600, 900);
  dealt(500, 3);
  sections();
  return 0;
}
