// Collapsed loops that give values back: rows of the same length and of others, empty ones at the end among them.
// Compilers warn of their own code.
// regions: 13 of 14
#include <string.h>

#include "check.h"

static int x, i, j;

static void rectangular(int n, int m) {
  int a, b, c, last = -1, *const of = &last;
#pragma omp parallel for collapse(2) lastprivate(a, b, last) schedule(static, 3)
  for (a = 0; a < n; a++)
    for (b = m; b >= 1; b -= 2) {
      if (b & 64) continue;
      last = a * 100 + b;
    }
  CHECK(a == n && b == (m & 1 ? -1 : 0) && last == (n - 1) * 100 + (m & 1 ? 1 : 2) && *of == last);
#pragma omp parallel for collapse(3) lastprivate(a, c) lastprivate(last) schedule(guided)
  for (a = n; a > 0; a -= 3)
    for (b = 0; b <= m; b += 4) {
      for (c = 1; c < 1 + 2; c++) last = a + b + c;
    }
  CHECK(a <= 0 && a > -3 && c == 3 && last == a + 3 + m / 4 * 4 + 2);
#pragma omp parallel
  {
#pragma omp for collapse(2) lastprivate(i, j, x) nowait
    for (i = 0; i < n; ++i)
      for (j = 0; j < m; ++j) x = i - j;
#pragma omp for collapse(2) firstprivate(last) lastprivate(last)
    for (a = 0; a < 2; a++)
      for (b = 0; b < n; b++) last = last * 0 + a + b;
#pragma omp single
    CHECK(last == n);
  }
  CHECK(i == n && j == m && x == n - m);
}

static void triangles(int n) {
  int a = 0, b = 0, last = 0;
  long sum = 0;
#pragma omp parallel for collapse(2) lastprivate(a, b, last) reduction(+ : sum)
  for (a = 1; a <= n; a++)
    for (b = 0; b < 2 * a; b++) last = a * 1000 + b, sum++;
  CHECK(a == n + 1 && b == 2 * n && last == n * 1000 + 2 * n - 1 && sum == (long)n * (n + 1));
#pragma omp parallel
#pragma omp for collapse(2) lastprivate(x, last)
  for (int k = 0; k < n; k++)
    for (int l = 0 - k; l < 1; l++) x = k, last = l;
  CHECK(x == n - 1 && last == 0);
}

// The last rows are empty: only the first ones count, and the counters are those behind the last of them.
static void empty_rows(int n) {
#pragma omp parallel for collapse(2) lastprivate(i, j, x)
  for (i = n; i >= -n; i -= 2)
    for (j = 4; j < i; j++) x = i * 100 + j;
  CHECK(i == (n & 1 ? 3 : 4) && j == (n & 1 ? 5 : 6) && x == (n & 1 ? 504 : 605));
#pragma omp parallel for collapse(2) lastprivate(i, j, x)
  for (i = 0; i < n; i++)
    for (j = i; j >= 7 * i - 3 * n; j -= 3) x = i * 100 + j;
  int found = 0, at = 0, row = 0;
  for (int k = 0; k < n; k++)
    for (int l = k; l >= 7 * k - 3 * n; l -= 3) found = k * 100 + l, row = k + 1, at = l - 3;
  CHECK(x == found && i == row && j == at);
}

static void vectors(int n, float *out) {
  int a, b, last = 0, sum = 0;
#pragma omp parallel for simd collapse(2) lastprivate(last)
  for (a = 0; a < n; a++)
    for (b = 0; b < 8; b++) {
      out[a * 8 + b] = (float)(a + b);
      last = a * 8 + b;
    }
  CHECK(a == n && b == 8 && last == n * 8 - 1);
#pragma omp parallel for simd collapse(2) reduction(+ : sum) lastprivate(last)
  for (a = 0; a < n; a++)
    for (b = 0; b <= a; b++) last = a + b, sum += (int)out[b];
  CHECK(a == n && b == n && last == 2 * (n - 1) && sum >= 0);
#pragma omp parallel
  {
#pragma omp for simd collapse(2)
    for (a = 0; a < n; a++)
      for (b = 0; b < 8; b++) out[a * 8 + b] += 1;
#pragma omp barrier
    CHECK(a == n && b == 8);
  }
  CHECK(out[0] == 1 && out[7] == 8);
}

// Without an iteration nothing is handed on.
static void none(int n) {
  int last = 5;
#pragma omp parallel for collapse(2) firstprivate(last) lastprivate(last)
  for (int k = 0; k < n; k++)
    for (int l = n; l < 0; l++) last = 6;
  (void)last;
}

static void deep(int n, int *rows) {
  int a, b, last = 0;
#pragma omp parallel num_threads(3) firstprivate(n)
  for (int t = 0; t < 3; t++) {
#pragma omp for collapse(2) lastprivate(a, b, last) schedule(runtime)
    for (a = t; a < n; a++)
      for (b = 0; b < rows[0]; b++) last = a * 10 + t;
#pragma omp master
    CHECK(a == n && b == rows[0] && last == (n - 1) * 10 + t);
#pragma omp barrier
  }
#pragma omp parallel for collapse(2) lastprivate(last, a) if (n > 100)
  for (a = 0; a < n; a++)
    for (b = 0; b < 2; b++) last = a + b;
  CHECK(a == n && last == n);
}

// A counter that has the name of what the bound around it needs.
static void hidden(int n) {
  int last = -1;
#pragma omp parallel for collapse(2) lastprivate(last)
  for (int i = 0; i < n; i++)
    for (int n = 0; n < 5; n++) last = i * 100 + n;
  CHECK(last == (n - 1) * 100 + 4);
}

int main(void) {
  static float out[8 * 64];
  int rows[1] = {6};
  for (int n = 1; n < 24; n += 5) {
    rectangular(n, 9), rectangular(n, 6);
    triangles(n + 8);
    // Of clang's own loops those go on in rows that are empty.
    if (!strstr(__VERSION__, "lang")) empty_rows(n + 8);
    vectors(n, out);
    none(n);
    deep(n + 3, rows);
    hidden(n);
  }
  return 0;
}
