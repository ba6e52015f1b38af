/* Strassen's matrix multiplication (Numerische Mathematik 13, 1969): seven half-size products per level instead of
   eight, each a task that first forms its two operands. Leaves are plain multiplications. */
#include <math.h>

#include "common.h"

static long leaf = 64; /* matrices up to this size are multiplied plainly */
static long cutoff = NO_CUTOFF;

/* A view of an n x n part of a larger row-major matrix. */
typedef struct {
  double *at;
  long stride;
} View;

static View part(View m, long h, int row, int column) {
  return (View){m.at + row * h * m.stride + column * h, m.stride};
}

static double *allocate_square(long n) { return allocate((size_t)(n * n) * sizeof(double)); }

static void multiply_plain(View c, View a, View b, long n) {
  for (long i = 0; i < n; i++) {
    double *restrict row = c.at + i * c.stride;
    for (long j = 0; j < n; j++) row[j] = 0;
    for (long k = 0; k < n; k++) {
      double factor = a.at[i * a.stride + k];
      const double *restrict from = b.at + k * b.stride;
      for (long j = 0; j < n; j++) row[j] += factor * from[j];
    }
  }
}

/* out := x + sign * y */
static void combine(View out, View x, double sign, View y, long n) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      out.at[i * out.stride + j] = x.at[i * x.stride + j] + sign * y.at[i * y.stride + j];
}

/* One operand of a product: the quarter `x` alone (sign 0) or x + sign * y. */
typedef struct {
  int x_row, x_column;
  int sign;
  int y_row, y_column;
} Operand;

/* Strassen's seven products M1..M7, as (left, right). */
static const Operand kProducts[7][2] = {
    {{0, 0, 1, 1, 1}, {0, 0, 1, 1, 1}},  /* (A11 + A22)(B11 + B22) */
    {{1, 0, 1, 1, 1}, {0, 0, 0, 0, 0}},  /* (A21 + A22) B11 */
    {{0, 0, 0, 0, 0}, {0, 1, -1, 1, 1}}, /* A11 (B12 - B22) */
    {{1, 1, 0, 0, 0}, {1, 0, -1, 0, 0}}, /* A22 (B21 - B11) */
    {{0, 0, 1, 0, 1}, {1, 1, 0, 0, 0}},  /* (A11 + A12) B22 */
    {{1, 0, -1, 0, 0}, {0, 0, 1, 0, 1}}, /* (A21 - A11)(B11 + B12) */
    {{0, 1, -1, 1, 1}, {1, 0, 1, 1, 1}}, /* (A12 - A22)(B21 + B22) */
};

static void multiply(View c, View a, View b, long n, long depth);

/* Forms the operand in `*spare` (to be freed) if it is a sum; otherwise it is a quarter of `m`. */
static View form(View m, const Operand *o, long h, double **spare) {
  View x = part(m, h, o->x_row, o->x_column);
  *spare = NULL;
  if (o->sign == 0) return x;
  *spare = allocate_square(h);
  View sum = {*spare, h};
  combine(sum, x, o->sign, part(m, h, o->y_row, o->y_column), h);
  return sum;
}

static void product(View out, View a, View b, int which, long h, long depth) {
  double *left_spare, *right_spare;
  View left = form(a, &kProducts[which][0], h, &left_spare);
  View right = form(b, &kProducts[which][1], h, &right_spare);
  multiply(out, left, right, h, depth);
  free(left_spare);
  free(right_spare);
}

static void multiply(View c, View a, View b, long n, long depth) {
  if (n <= leaf || n % 2) {
    multiply_plain(c, a, b, n);
    return;
  }
  long h = n / 2;
  double *m[7];
  for (int i = 0; i < 7; i++) m[i] = allocate_square(h);
  if (depth < cutoff) {
    for (int i = 0; i < 7; i++) {
      View out = {m[i], h};
      count_tasks(1);
#pragma omp task UNTIED firstprivate(out, a, b, i, h, depth)
      product(out, a, b, i, h, depth + 1);
    }
#pragma omp taskwait
  } else {
    for (int i = 0; i < 7; i++) product((View){m[i], h}, a, b, i, h, depth + 1);
  }
  View c11 = part(c, h, 0, 0), c12 = part(c, h, 0, 1), c21 = part(c, h, 1, 0), c22 = part(c, h, 1, 1);
  for (long i = 0; i < h; i++)
    for (long j = 0; j < h; j++) {
      long e = i * h + j;
      c11.at[i * c.stride + j] = m[0][e] + m[3][e] - m[4][e] + m[6][e];
      c12.at[i * c.stride + j] = m[2][e] + m[4][e];
      c21.at[i * c.stride + j] = m[1][e] + m[3][e];
      c22.at[i * c.stride + j] = m[0][e] - m[1][e] + m[2][e] + m[5][e];
    }
  for (int i = 0; i < 7; i++) free(m[i]);
}

/* 7 + 49 + ... down to the leaves or the cut-off. */
static long count_expected_tasks(long n) {
  long tasks = 0, level = 1;
  for (long depth = 0; n > leaf && n % 2 == 0 && depth < cutoff; n /= 2, depth++) tasks += level *= 7;
  return tasks;
}

static void apply(const double *m, const double *x, double *y, long n) {
  for (long i = 0; i < n; i++) {
    y[i] = 0;
    for (long j = 0; j < n; j++) y[i] += m[i * n + j] * x[j];
  }
}

/* Freivalds' check: A (B x) against C x for random vectors of +-1. A wrong element of C escapes one vector with a
   probability of at most one half, all kVectors of them with 2^-20. */
static int product_is_right(const double *a, const double *b, const double *c, long n) {
  enum { kVectors = 20 };
  double *x = allocate(4 * (size_t)n * sizeof *x), *bx = x + n, *abx = x + 2 * n, *cx = x + 3 * n;
  uint64_t state = random_seed(99);
  int ok = 1;
  for (int v = 0; v < kVectors; v++) {
    for (long i = 0; i < n; i++) x[i] = random_next(&state) >> 63 ? 1 : -1;
    apply(b, x, bx, n);
    apply(a, bx, abx, n);
    apply(c, x, cx, n);
    /* Rounding of n-term sums, and Strassen's own error, which grows by a constant factor per level (Higham, Accuracy
       and Stability of Numerical Algorithms, 23.2.2). Elements are below 1, so n x n bounds |A| |B| |x|. */
    for (long i = 0; i < n; i++) ok &= fabs(abx[i] - cx[i]) <= (double)n * (double)n * 0x1p-44;
  }
  free(x);
  return ok;
}

int main(int argc, char **argv) {
  long n = 1024, seed = 1;
  const Option options[] = {
      {"--size", kLong, "N", &n, 1, 65536, "rows of the matrices; best a power of two"},
      {"--leaf", kLong, "N", &leaf, 1, 65536, "matrices up to N rows are multiplied plainly"},
      {"--cutoff", kLong, "N", &cutoff, 0, 1000, "no tasks below depth N"},
      {"--no-cutoff", kSwitch, "", &cutoff, (double)NO_CUTOFF, 0, "tasks down to the leaves"},
      {"--seed", kLong, "N", &seed, 0, 1e15, "seed of the matrices"},
  };
  parse_options(argc, argv, "strassen", "Multiplies two matrices by Strassen's algorithm, seven tasks per level.",
                options, OPTION_COUNT(options));
  double *a = allocate_square(n), *b = allocate_square(n), *c = allocate_square(n);
  uint64_t state = random_seed((uint64_t)seed);
  for (long e = 0; e < n * n; e++) a[e] = 2 * random_unit(&state) - 1;
  for (long e = 0; e < n * n; e++) b[e] = 2 * random_unit(&state) - 1;

  double start = begin_timed_part();
#pragma omp parallel
  {
#pragma omp single
    multiply((View){c, n}, (View){a, n}, (View){b, n}, n, 0);
    flush_task_count();
  }
  double seconds = end_timed_part(start);

  double trace = 0;
  for (long i = 0; i < n; i++) trace += c[i * n + i];
  int ok = product_is_right(a, b, c, n) && tasks_made == count_expected_tasks(n);
  char size[32], text[48];
  snprintf(size, sizeof size, "%ld", n);
  snprintf(text, sizeof text, "%.10g", trace);
  free(a);
  free(b);
  free(c);
  return finish("strassen", size, text, tasks_made, seconds, ok);
}
