/* Which regions may wait for another of their instances in what looks at what others change, and so need threads. */
#include <stdatomic.h>

extern int *level, found_count, ready;
static int reached(int v) {
  int n = 0;
  for (int w = v; w < v + 4; w++) n += __atomic_load_n(&level[w], __ATOMIC_RELAXED) != 0;
  return n;
}
static int gives_up(int v) {
  for (int tries = 0; tries < 1000; tries++)
    if (__atomic_load_n(&level[v], __ATOMIC_RELAXED) == 0) return v;
  return -1;
}
static int claim(int v) {
  int nobody = -1;
  return __atomic_compare_exchange_n(&level[v], &nobody, 1, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}
static void lock(atomic_int *held) {
  while (atomic_exchange(held, 1)) {}
}
static int reach(int v) { return __atomic_load_n(&level[v], __ATOMIC_RELAXED) ? v : reach(v + 1); }

void looks(int n, int *out) {
#pragma omp parallel
  {
#pragma omp for schedule(dynamic, 8) nowait
    for (int i = 0; i < n; i++)
      for (int k = n; k > i; k--)
        if (claim(k)) __atomic_fetch_add(&found_count, reached(k), __ATOMIC_RELAXED);
#pragma omp for nowait
    for (int i = 0; i < n; i++)
#pragma omp critical
      out[0] += i;
  }
}

void waits(int n, int *out, volatile int *flag, atomic_int *held) {
#pragma omp parallel
  while (*flag == 0) {}
#pragma omp parallel
  for (int i = 0; i < n; i++) /* as long as another one sets it back */
    if (claim(i)) i = 0;
#pragma omp parallel
  for (int i = 0; i < n;)
    if (claim(i)) i++;
#pragma omp parallel
  for (int i = 0; i < n; i += reached(i)) out[i]++;
#pragma omp parallel
  out[0] = gives_up(0);
#pragma omp parallel
  lock(held);
#pragma omp parallel
  out[0] = reach(0);
#pragma omp parallel
  {
  again:
    if (!claim(0)) goto again;
  }
#pragma omp parallel
  for (int i = 0; i < n; i++) {
#pragma omp for schedule(dynamic) nowait
    for (int k = 0; k < n; k++) out[k] += i;
  }
}
