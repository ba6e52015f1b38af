// Clauses of loops, sections, single and regions that hand values on, and reductions of more than numbers.
// regions: 20 of 20
#include "check.h"
#include <string.h>

enum { kSize = 100 };
struct pair { int sum, exclusive; };
#pragma omp declare reduction(merge : struct pair : omp_out.sum += omp_in.sum, omp_out.exclusive ^= omp_in.exclusive) \
    initializer(omp_priv = {0, 0})
#pragma omp declare reduction(odd : int : omp_out += omp_in - 1) initializer(omp_priv = 1)
static void set_to_one(int *one, const int *original) { *one = *original * 0 + 1; }
#pragma omp declare reduction(times : int : omp_out *= omp_in) initializer(set_to_one(&omp_priv, &omp_orig))
static int mine, outer = 5;
static double table[3];
#pragma omp threadprivate(mine, table)

static int a[kSize];

static void last_of_dealt_loops(void) {
  int last = -1, i, kept[3] = {0};
#pragma omp parallel for schedule(monotonic : dynamic, 3) lastprivate(last, kept, i)
  for (i = 0; i < kSize; i++) {
    last = 2 * i;
    kept[1] = i;
    if (i % 3) continue;
    kept[2] = i;
  }
  CHECK(last == 198 && kept[1] == 99 && kept[2] == 99 && i == kSize);
#pragma omp parallel
  {
#pragma omp for schedule(guided) lastprivate(last)
    for (long q = kSize; q >= 2; q -= 7) last = (int)q;
#pragma omp for schedule(static, 2) lastprivate(outer)
    for (int *p = a + 1; p <= a + 20; p += 3) outer = (int)(p - a);
  }
  CHECK(last == 2 && outer == 19);
#pragma omp parallel for schedule(runtime) lastprivate(last) firstprivate(last)
  for (int c = 3; c > 1; c--) last += c;
  CHECK(last == 2 + 5 || last == 2 + 2 || last == 2 + 3);
}

static void last_of_sections(void) {
  int at = 0;
#pragma omp parallel sections lastprivate(at)
  {
#pragma omp section
    at = 1;
#pragma omp section
    at = 2;
  }
  CHECK(at == 2);
#pragma omp parallel
#pragma omp sections lastprivate(at)
  {
#pragma omp section
#pragma omp critical
    at = 4;
  }
  CHECK(at == 4);
}

static void linear_variables(int step) {
  int k = 3;
  short s = 100;
#pragma omp parallel for linear(k : 2)
  for (int q = 0; q < kSize; q++) a[q] = k, k += 2;
  CHECK(k == 203 && a[0] == 3 && a[99] == 201);
#pragma omp parallel
  {
#pragma omp for linear(k : step + 1) linear(s) schedule(monotonic : dynamic)
    for (int q = kSize - 1; q >= 0; q -= 1) a[q] = k - s, k += step + 1, s++;
  }
  CHECK(k == 203 + 100 * (step + 1) && s == 200 && a[99] == 103 && a[0] == 103 + 99 * step);
}

static void vectors(void) {
  int i, sum = 0, twice = 0;
#pragma omp parallel for simd reduction(+ : sum) lastprivate(twice) private(outer) safelen(8)
  for (i = 0; i < kSize; i++) outer = i, sum += outer, twice = 2 * i;
  CHECK(sum == 4950 && i == kSize && twice == 198);
#pragma omp parallel
  {
#pragma omp for simd schedule(static, 4) reduction(+ : sum) lastprivate(twice) linear(i : 2)
    for (i = 0; i < kSize; i += 2) sum += i, twice = i;
  }
  CHECK(sum == 4950 + 2450 && i == kSize && twice == 98);
}

static void reductions(int n) {
  int histogram[10] = {0}, *part = a, product = 1, odd = 0;
  struct pair p = {1, 0};
  for (int i = 0; i < kSize; i++) a[i] = 0;
#pragma omp parallel for reduction(+ : histogram) reduction(merge : p) reduction(+ : part[2 : n - 4])
  for (int i = 0; i < n; i++) {
    histogram[i % 10]++;
    p.sum += i;
    p.exclusive ^= i;
    if (i >= 2 && i < n - 2) part[i] += i;
  }
  CHECK(p.sum == 4951 && p.exclusive == 0 && a[1] == 0 && a[2] == 2 && a[97] == 97 && a[98] == 0);
#pragma omp parallel
  {
#pragma omp for reduction(+ : histogram[1 : 3]) reduction(odd : odd) reduction(times : product)
    for (int i = 0; i < n; i++) {
      histogram[1 + i % 3]++, odd++;
      if (i < 5) product *= 2;
    }
  }
  CHECK(histogram[0] == 10 && histogram[1] == 44 && histogram[2] == 43 && odd == n && product == 32);
}

static void copies(int n) {
  mine = 42;
  table[2] = 2.5;
  int wrong = 0, same = 0;
#pragma omp parallel copyin(mine, table) reduction(+ : wrong)
  {
    int v = 0;
    wrong += mine != 42 || table[2] != 2.5;
    mine++;
#pragma omp single copyprivate(v)
    v = n;
    wrong += v != n;
  }
  CHECK(wrong == 0 && mine == 43);
#pragma omp parallel proc_bind(close) num_threads(2)
#pragma omp atomic
  same++;
  CHECK(same >= 1);
}

static void orders(void) {
  int next = 0, wrong = 0;
#pragma omp parallel for ordered schedule(dynamic)
  for (int i = 0; i < kSize; i++) {
    a[i] = i;
#pragma omp ordered
    wrong += next++ != i;
  }
  CHECK(wrong == 0);
#pragma omp parallel
#pragma omp for ordered(1) schedule(static, 1)
  for (int i = 1; i < kSize; i++) {
#pragma omp ordered depend(sink : i - 1)
    a[i] += a[i - 1];
#pragma omp ordered depend(source)
  }
  CHECK(a[99] == 4950);
}

static void one_thread(void) {
  int sum = 0, by_tasks = 0;
#pragma omp parallel master
  sum++;
#pragma omp parallel loop
  for (int i = 0; i < kSize; i++) a[i] = 1;
#pragma omp parallel master reduction(task, + : by_tasks)
#pragma omp taskloop in_reduction(+ : by_tasks)
  for (int i = 0; i < kSize; i++) by_tasks += a[i];
  CHECK(sum == 1 && by_tasks == kSize);
}

/* What a clause calls is called once, whichever form runs; the function keeps its name. */
#define WHERE __func__
static int calls;
static int two(void) { return ++calls, 2; }
static void called_once(void) {
  int threads = 0, same = 0;
#pragma omp parallel num_threads(two()) if(two())
  {
#pragma omp single
    threads = omp_get_num_threads();
  }
#pragma omp parallel
#pragma omp single
  same = strcmp(WHERE, "called_once") == 0 && strcmp(__FUNCTION__, "called_once") == 0 && sizeof __func__ == 12;
  CHECK(calls == 2 && threads <= 2 && same);
}

int main(void) {
  called_once();
  last_of_dealt_loops();
  last_of_sections();
  linear_variables(4);
  vectors();
  reductions(kSize);
  copies(7);
  orders();
  one_thread();
  return 0;
}
