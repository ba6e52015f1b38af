// Clauses that ask for a variable of which the construct has its own; loops that are ordered together, or collapsed, and hand on
// what was their last iteration's; constants that variables hide, and others of their name.
// Compilers warn of their own code.
// regions: 13 of 13
#include "check.h"

#include <stdint.h>

static void of_tasks(int n) {
  int x = 3, y = 0, sum = 0, made[3] = {0};
  int *const at = &x;
  *at = 5;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop firstprivate(x) num_tasks(x)
    for (int i = 0; i < n; i++) {
#pragma omp atomic
      sum += x;
    }
#pragma omp taskloop private(x) grainsize(x) if (x > 1) final(x > 100)
    for (int i = 0; i < n; i++) {
      x = i;
#pragma omp atomic
      sum += x;
    }
#pragma omp taskloop lastprivate(x) num_tasks(x)
    for (int i = 0; i < n; i++) x = i + 1;
    for (y = 0; y < 3; y++) {
#pragma omp task firstprivate(y) depend(inout : made[y]) priority(y)
      made[y] = y + 1;
#pragma omp task firstprivate(y) depend(inout : made[y]) if (y != 1)
      made[y] *= 2;
    }
  }
  CHECK(x == n && y == 3 && sum == 5 * n + n * (n - 1) / 2);
  CHECK(made[0] == 2 && made[1] == 4 && made[2] == 6);
}

static void ordered_together(int n) {
  static int cell[40][40];
  int last = -1, row = -1;
#pragma omp parallel
  {
#pragma omp for ordered(1) lastprivate(last)
    for (int i = 0; i < n; i++) {
#pragma omp ordered depend(sink : i - 1)
      cell[0][i] = i ? cell[0][i - 1] + 1 : 1;
      last = cell[0][i];
#pragma omp ordered depend(source)
    }
#pragma omp for ordered(2) lastprivate(row) schedule(static, 1)
    for (int i = 1; i < n; i++)
      for (int j = 1; j < n; j++) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
        if (i > 1 && j > 1) cell[i][j] = cell[i - 1][j] + cell[i][j - 1];
        else cell[i][j] = 1;
        cell[i][j] %= 1000;
        row = i * 100 + j;
#pragma omp ordered depend(source)
      }
  }
  CHECK(last == n && row == (n - 1) * 101);
#pragma omp parallel for ordered(2) collapse(1) lastprivate(last)
  for (int i = 0; i < n; i++)
    for (int j = n; j > 0; j--) {
#pragma omp ordered depend(sink : i - 1, j)
      last = i - j;
#pragma omp ordered depend(source)
    }
  CHECK(last == n - 2);
}

static void over_pointers(int n) {
  static int data[100];
  int x = -1, *p = 0, *end = data + n;
#pragma omp parallel for collapse(2) lastprivate(p, x)
  for (p = data; p < end; p += 3)
    for (int i = 0; i < 4; i++) x = (int)(p - data) * 10 + i;
  CHECK(p >= end && p < end + 3 && x == (int)(p - 3 - data) * 10 + 3);
#pragma omp parallel for collapse(2) lastprivate(x) schedule(static, 2)
  for (int *q = end - 1; q >= data; q--)
    for (const int *r = data; r < data + 5; r += 2) x = (int)(q - data) + (int)(r - data);
  CHECK(x == 4);
  long of_rows = -1;
#pragma omp parallel for collapse(2) lastprivate(of_rows)
  for (int *q = data; q < end; q++)
    for (int *r = data; r <= q; r++) of_rows = (q - data) * 100 + (r - data);
  CHECK(of_rows == (n - 1) * 101);
}

static void linear(int n) {
  static int seen[40][8];
  int l = 5;
  short down = 100;
#pragma omp parallel for simd collapse(2) linear(l : 2)
  for (int i = 0; i < n; i++)
    for (int j = 8; j > 0; j--) {
      seen[i][j - 1] = l;
      l += 2;
    }
  int next = 5, all = 1;
  for (int i = 0; i < n; i++)
    for (int j = 8; j > 0; j--, next += 2) all &= seen[i][j - 1] == next;
  CHECK(all && l == next);
#pragma omp parallel
  {
#pragma omp for collapse(3) linear(down : -1) linear(l) schedule(static, 3)
    for (int i = 0; i < n; i += 2)
      for (long j = 0; j < 4; j++)
        for (unsigned k = 3; k <= 5; k += 2) {
          seen[i][j * 2 + (k == 5)] = down + 1000 * l;
          down--, l++;
        }
  }
  int rounds = 0;
  for (int i = 0; i < n; i += 2)
    for (int j = 0; j < 8; j++, rounds++) all &= seen[i][j] == 100 - rounds + 1000 * (next + rounds);
  CHECK(all && down == 100 - rounds && l == next + rounds);
}

static void allocated(int n) {
  int mine = 4, sum = 0;
#pragma omp parallel for allocate(omp_default_mem_alloc : mine) firstprivate(mine) reduction(+ : sum)
  for (int i = 0; i < n; i++) sum += mine;
#pragma omp parallel private(mine) allocate(mine)
  {
    mine = 2;
#pragma omp for firstprivate(n) allocate(n) reduction(+ : sum)
    for (int i = 0; i < 10; i++) sum += mine * (n > 0);
  }
  CHECK(sum == 4 * n + 20);
}

static void hidden(int n) {
  enum { MANY = 7, FEW = 2 };
  int sum = 0;
  {
    int MANY = n;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 10; i++) sum += MANY + FEW;
  }
  {
    enum { FEW = 3 };
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 10; i++) {
      sum += MANY * FEW;
      enum { MANY = 1 };
      sum += MANY;
    }
  }
  CHECK(sum == 10 * (n + 2) + 10 * 22);
}

static void flushed(int n) {
  int ready = 0, value = 0, got = 0;
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) {
      value = n;
#pragma omp flush(value, ready)
#pragma omp atomic write
      ready = 1;
    } else {
      for (int is = 0; !is;) {
#pragma omp atomic read
        is = ready;
      }
#pragma omp flush (ready, value) /* both */
      got = value;
    }
  }
  CHECK(got == n || omp_get_max_threads() == 1 || got == 0);
}

int main(void) {
  for (int n = 1; n < 34; n += 4) {
    of_tasks(n);
    if (n > 1) ordered_together(n);
    over_pointers(n);
    linear(n);
    allocated(n);
    hidden(n);
    flushed(n);
  }
  return 0;
}
