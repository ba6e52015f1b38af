// Regions that look at what others change, and yet wait for nobody: by one thread, one instance after the other, too.
// regions: 5 of 5
#include "check.h"

enum { kVertices = 3000 };
static int level[kVertices], frontier[kVertices], found[kVertices], count, found_count;

static int claim(int v, int depth) {
  int nobody = -1;
  return __atomic_compare_exchange_n(&level[v], &nobody, depth, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}
// In a ring with chords: neighbours of v are one further, one back, and at twice its number.
static int neighbour(int v, int k) { return (k == 0 ? v + 1 : k == 1 ? v + kVertices - 1 : 2 * v) % kVertices; }

static void visit(int v, int depth) {
  for (int k = 0; k < 3; k++) {
    const int w = neighbour(v, k);
    if (__atomic_load_n(&level[w], __ATOMIC_RELAXED) != -1 || !claim(w, depth)) continue;
    found[__atomic_fetch_add(&found_count, 1, __ATOMIC_RELAXED)] = w;
  }
}

// Breadth first, a region a level.
static void search(void) {
  for (int v = 0; v < kVertices; v++) level[v] = -1;
  level[0] = 0;
  frontier[0] = 0;
  count = 1;
  for (int depth = 1; count > 0; depth++) {
    found_count = 0;
#pragma omp parallel
    {
#pragma omp for schedule(dynamic, 4) nowait
      for (int i = 0; i < count; i++) visit(frontier[i], depth);
    }
    for (int i = 0; i < found_count; i++) frontier[i] = found[i];
    count = found_count;
  }
  // Each is one further than the nearest of its neighbours, those that lead to it, too.
  for (int v = 1; v < kVertices; v++) {
    CHECK(level[v] > 0);
    int nearest = level[(v + 1) % kVertices] < level[v - 1] ? level[(v + 1) % kVertices] : level[v - 1];
    for (int u = 0; u < kVertices; u++)
      if (2 * u % kVertices == v && level[u] < nearest) nearest = level[u];
    CHECK(level[v] == nearest + 1);
  }
}

// As many of them as an instance may be ahead of another, and more.
static void ahead(int n, long *sums) {
#define ONE(k)                                       \
  _Pragma("omp for schedule(dynamic, 2) nowait")     \
  for (int i = 0; i < n; i++) {                      \
    _Pragma("omp atomic") sums[k] += i;              \
  }
#pragma omp parallel
  {
    ONE(0) ONE(1) ONE(2) ONE(3) ONE(4) ONE(5) ONE(6) ONE(7)
  }
#pragma omp parallel
  {
    ONE(0) ONE(1) ONE(2) ONE(3) ONE(4) ONE(5) ONE(6) ONE(7) ONE(8) ONE(9) ONE(10) ONE(11) ONE(12) ONE(13) ONE(14) ONE(15)
    ONE(16) ONE(17) ONE(18) ONE(19)
  }
#pragma omp parallel
  for (int times = 0; times < 30; times++) {
#pragma omp for schedule(guided) nowait
    for (int i = 0; i < n; i++) {
#pragma omp atomic
      sums[20] += i;
    }
  }
}

static int locked_sum, in_order;
static void add_locked(int i) {
#pragma omp critical(sum)
  locked_sum += i;
}
static void critical(int n) {
  locked_sum = in_order = 0;
#pragma omp parallel
  {
#pragma omp for schedule(static) nowait
    for (int i = 0; i < n; i++) {
      int before;
      add_locked(i);
#pragma omp atomic capture
      before = in_order++;
      CHECK(before >= 0 && before < n);
    }
  }
  CHECK(locked_sum == n * (n - 1) / 2 && in_order == n);
}

int main(void) {
  long sums[21] = {0};
  for (int times = 0; times < 40; times++) search();
  for (int times = 0; times < 20; times++) ahead(50, sums);
  for (int k = 0; k < 20; k++) CHECK(sums[k] == 20 * (k < 8 ? 2 : 1) * 50 * 49 / 2);
  CHECK(sums[20] == 20L * 30 * 50 * 49 / 2);
  for (int n = 1; n < 200; n++) critical(n);
  return 0;
}
