/* Values that loops and sections hand on, and reductions of more than numbers. */
struct pair { int a, b; };
#pragma omp declare reduction(merge : struct pair : omp_out.a += omp_in.a, omp_out.b ^= omp_in.b) \
    initializer(omp_priv = {0, 0})
static int mine;
#pragma omp threadprivate(mine)

int handed(int n, int *x, int part[8]) {
  int last = 0, k = 1, i, counts[4] = {0};
  struct pair p = {0, 0};
#pragma omp parallel for schedule(dynamic) lastprivate(last)
  for (i = 0; i < n; i++) last = x[i];
#pragma omp parallel for linear(k : 2) reduction(+ : counts) reduction(merge : p)
  for (int j = n; j > 0; j--) {
    counts[j % 4] += k;
    p.a++;
    k += 2;
  }
#pragma omp parallel copyin(mine) proc_bind(spread)
  {
#pragma omp for simd
    for (i = 0; i < n; i++) x[i] += mine;
#pragma omp sections lastprivate(last)
    {
#pragma omp section
      last = 1;
#pragma omp section
      last = 2;
    }
#pragma omp for ordered reduction(+ : part[2 : n])
    for (int j = 2; j < n + 2; j++) {
#pragma omp ordered
      part[j] += j;
    }
  }
  return last + i + k + p.a + counts[0];
}
