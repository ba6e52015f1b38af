/* Tasks with depend that come again, as einkorn cc makes graphs of them: runs SHAPE ROUNDS WORK. WORK: additions in a task.
 * Prints the best and the median of the rounds, in ns a task. For bench/runs.py. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kChain = 2000, kSide = 64, kStep = 16, kSteps = 8 };
static double chain[kChain], grid[kSide][kSide], from[kStep + 2][kStep + 2], to[kStep + 2][kStep + 2];

static inline void work(double *at, int amount) {
  double x = *at;
  for (int i = 0; i < amount; i++) x = x * 0.999 + 1;
  *at = x;
}

static long run_chain(int n, int amount) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < n; i++)
#pragma omp task depend(inout : chain[0])
    work(&chain[0], amount);
  return n;
}
static long run_free(int n, int amount) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < n; i++)
#pragma omp task depend(inout : chain[i])
    work(&chain[i], amount);
  return n;
}
static long run_grid(int n, int amount) {
#pragma omp parallel
#pragma omp single
  for (int i = 1; i < n; i++)
    for (int j = 1; j < n; j++)
#pragma omp task depend(in : grid[i - 1][j], grid[i][j - 1]) depend(inout : grid[i][j])
      work(&grid[i][j], amount);
  return (long)(n - 1) * (n - 1);
}
/* Steps that nobody waits between. */
static long run_steps(int n, int amount) {
#pragma omp parallel
#pragma omp single
  for (int t = 0; t < kSteps; t++) {
    for (int i = 1; i <= n; i++)
      for (int j = 1; j <= n; j++)
#pragma omp task depend(in : from[i - 1][j], from[i + 1][j], from[i][j - 1], from[i][j + 1]) depend(out : to[i][j])
        work(&to[i][j], amount);
    for (int i = 1; i <= n; i++)
      for (int j = 1; j <= n; j++)
#pragma omp task depend(in : to[i][j]) depend(out : from[i][j])
        work(&from[i][j], amount);
  }
  return 2L * kSteps * n * n;
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    long (*run)(int, int);
    int n;
  } shapes[] = {{"chain", run_chain, kChain}, {"free", run_free, kChain}, {"grid", run_grid, kSide}, {"steps", run_steps, kStep}};
  const int rounds = argc > 2 ? atoi(argv[2]) : 30, amount = argc > 3 ? atoi(argv[3]) : 0;
  double *times = malloc(sizeof *times * (size_t)rounds);
  for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
    if (argc < 2 || rounds < 1 || strcmp(argv[1], shapes[s].name) != 0) continue;
    for (int round = -3; round < rounds; round++) {
      const double begin = omp_get_wtime();
      const long tasks = shapes[s].run(shapes[s].n, amount);
      if (round >= 0) times[round] = (omp_get_wtime() - begin) * 1e9 / (double)tasks;
    }
    qsort(times, (size_t)rounds, sizeof *times, compare);
    printf("%.1f %.1f\n", times[0], times[rounds / 2]);
    return 0;
  }
  fprintf(stderr, "usage: %s chain|free|grid|steps [ROUNDS [WORK]]\n", argv[0]);
  return 2;
}
