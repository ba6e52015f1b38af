// What instances of a loop have of their own, in every form that the loop may have: EINKORN_TPLOOP is set by forms.py.
// regions: 9 of 9
#include <string.h>

#include "check.h"

enum { N = 997 };
static int a[N];
static int threads_of(void) {
  int n = 0;
#pragma omp parallel reduction(+ : n)
  n++;
  return n;
}
// A loop in which each instance counts itself: there are as many as threads, and one form may not have fewer.
static void first_of_each(int n, int *instances) {
  int first = 1, count = 0;
#pragma omp parallel for firstprivate(first)
  for (int i = 0; i < n; i++) {
    if (first) {
#pragma omp atomic
      count++;
      first = 0;
    }
    a[i] = i;
  }
  *instances = count;
}
static void privates(int n) {
  int j, k[3];
#pragma omp parallel for private(j, k)
  for (int i = 0; i < n; i++) {
    for (j = 0; j < 3; j++) k[j] = i + j;
    a[i] = k[0] + k[1] + k[2];
  }
  for (int i = 0; i < n; i++) CHECK(a[i] == 3 * i + 3);
}
static void lasts(int n) {
  int last = -1, i;
#pragma omp parallel for lastprivate(last, i)
  for (i = 0; i < n; i++) {
    last = i * 2;
    a[i] = 2 * i;
  }
  CHECK(last == 2 * (n - 1) && i == n);
  for (i = 0; i < n; i++) CHECK(a[i] == 2 * i);
}
struct point {
  int x, y;
};
static int bound_of(const struct point *p, int scale) {
  int sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = p->x; i <= p->y * scale - 1; i += 2) sum += i;
  return sum;
}
static int calls;
static int bound(void) {
  calls++;
  return 10;
}
static void called_bound(void) {
#pragma omp parallel for
  for (int i = 0; i < bound(); i++) a[i] = -i;
  for (int i = 0; i < 10; i++) CHECK(a[i] == -i);
  CHECK(calls > 0);
}
static void by_team(int n) {
  int *mine = (int *)calloc(64, sizeof *mine);
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
#pragma omp atomic
    mine[omp_get_thread_num() % 64]++;
    a[i] = omp_get_num_threads();
  }
  int all = 0, used = 0;
  for (int i = 0; i < 64; i++) all += mine[i], used += mine[i] > 0;
  CHECK(all == n);
  for (int i = 1; i < n; i++) CHECK(a[i] == a[0]);
  CHECK(used == (a[0] < n ? a[0] : n) || a[0] > 64);
  free(mine);
}
static int asked(void) { return omp_get_num_threads(); }
static void asks_in_call(int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] = asked();
  for (int i = 0; i < n; i++) CHECK(a[i] == threads_of());
}
static void array(int n) {
  long sums[4] = {0, 0, 0, 0};
#pragma omp parallel for reduction(+ : sums)
  for (int i = 0; i < n; i++) sums[i % 4] += i;
  long all = sums[0] + sums[1] + sums[2] + sums[3];
  CHECK(all == (long)n * (n - 1) / 2);
}

int main(void) {
  const int threads = threads_of();
  for (int round = 0; round < 30; round++)
    for (int n = 1; n <= N; n = n * 3 + 1) {
      int instances;
      first_of_each(n, &instances);
      // EINKORN_TPLOOP may ask for another number of codelets.
      const char *forms = getenv("EINKORN_TPLOOP");
      if (!forms || strchr(forms, ',') == strrchr(forms, ',')) CHECK(instances == (n < threads ? n : threads));
      privates(n);
      lasts(n);
      struct point p = {3, n};
      int sum = 0;
      for (int i = 3; i <= n * 2 - 1; i += 2) sum += i;
      CHECK(bound_of(&p, 2) == sum);
      called_bound();
      by_team(n);
      if (round < 2) asks_in_call(n < 50 ? n : 50);
      array(n);
    }
  return 0;
}
