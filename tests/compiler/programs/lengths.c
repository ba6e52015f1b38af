// Arrays of variable length that regions share.
// regions: 7 of 7
#include "check.h"

static void add(int n, const double *from, double *to) {
  for (int i = 0; i < n; i++) to[i] += from[i];
}

static void shared(int n) {
  double row[n], all[n + 1];
  struct pair { int a; } one = {n};
  int counts[one.a * 2], *at = counts;
  for (int i = 0; i < n; i++) row[i] = i, all[i] = 0;
  for (int i = 0; i < 2 * n; i++) counts[i] = 0;
  all[n] = 0;
  const int before = n;
#pragma omp parallel for shared(row) schedule(dynamic, 2)
  for (int i = 0; i < n; i++) row[i] *= 2;
  n = 1;
#pragma omp parallel firstprivate(n) num_threads(3)
  {
    n += omp_get_thread_num();
#pragma omp critical
    add(before, row, all);
#pragma omp barrier
    CHECK(all[before - 1] == (before - 1) * 2. * omp_get_num_threads());
#pragma omp for
    for (int i = 0; i < 2 * before; i++) counts[i] += i + n * 0;
#pragma omp single
    {
      for (int i = 0; i < before; i++) {
#pragma omp task shared(all)
        all[i] = counts[i] + at[i];
#pragma omp task
        counts[before + i]++;
      }
    }
    CHECK(all[before - 1] == 2 * (before - 1) && counts[2 * before - 1] == 2 * before);
  }
#pragma omp parallel
  CHECK(sizeof row == sizeof(double) * (size_t)before);
#pragma omp parallel firstprivate(row)
  CHECK(row[0] == 0);
}

static int parameters(int n, int x[n], int table[n][n]) {
  int sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; i++) sum += x[i];
#pragma omp parallel if (table[0][0] == 0)
#pragma omp for
  for (int i = 0; i < n; i++) x[i] += sum;
  return sum + x[0];
}

int main(void) {
  shared(40);
  int x[3] = {1, 2, 3};
  int table[3][3] = {{0}};
  CHECK(parameters(3, x, table) == 13);
#pragma omp parallel
  {
    int own[omp_get_thread_num() + 1];
    own[omp_get_thread_num()] = 1;
    CHECK(own[omp_get_thread_num()] == 1);
  }
  return 0;
}
