/* Conjugate gradients for a sparse matrix in rows: the seven-point Laplacian of a cube, plus a few far neighbours in one
   eighth of its rows, so that rows are uneven. Each iteration is a product with the matrix, two dot products and three
   scaled sums of vectors: six loops, of which two reduce. As its author left it: the arrays are filled by one thread, and
   the rows of the product are handed out one by one. --init parallel lets each thread touch its own rows first,
   --schedule static gives it the same ones in each loop. */
#include <math.h>

#include "common.h"

enum { kSerial, kParallel };
enum { kDynamic, kStatic, kRuntime };
enum { kFar = 24 };

static long side = 40, steps = 60, init = kSerial, schedule = kDynamic, cutoff = 0;
static long rows;
static int parallel;
static long *first; /* entries of row i: first[i] to first[i + 1] - 1 */
static int *column;
static double *value, *x, *r, *p, *q, *b;

static inline int has_far(long i) { return i % 8 == 3; }

static void count_entries(void) {
  first = allocate((size_t)(rows + 1) * sizeof *first);
  first[0] = 0;
  for (long i = 0; i < rows; i++) {
    long z = i % side, y = i / side % side, w = i / (side * side);
    long neighbours = (z > 0) + (z < side - 1) + (y > 0) + (y < side - 1) + (w > 0) + (w < side - 1);
    first[i + 1] = first[i] + 1 + neighbours + (has_far(i) ? kFar : 0);
  }
}

/* Row i, and its part of all vectors. Entries of far neighbours are stored zeros: they cost time, and change nothing. */
static void fill_row(long i) {
  long at = first[i], steps_of[] = {1, side, side * side}, along[] = {i % side, i / side % side, i / (side * side)};
  double sum = 0;
  long diagonal = at++;
  for (int d = 0; d < 3; d++) {
    if (along[d] > 0) column[at] = (int)(i - steps_of[d]), value[at++] = -1;
    if (along[d] < side - 1) column[at] = (int)(i + steps_of[d]), value[at++] = -1;
  }
  for (long k = 0; has_far(i) && k < kFar; k++) column[at] = (int)((i * 31 + k * 977) % rows), value[at++] = 0;
  for (long k = diagonal + 1; k < at; k++) sum += fabs(value[k]);
  column[diagonal] = (int)i;
  value[diagonal] = sum + 0.01;
  x[i] = 0;
  q[i] = 0;
  b[i] = r[i] = p[i] = 1 + (double)(i % 7) / 7;
}

static void fill(void) {
  if (init == kParallel) {
#pragma omp parallel for schedule(static) if (parallel)
    for (long i = 0; i < rows; i++) fill_row(i);
  } else {
    for (long i = 0; i < rows; i++) fill_row(i);
  }
}

static inline double row_times(long i, const double *vector) {
  double sum = 0;
  for (long k = first[i]; k < first[i + 1]; k++) sum += value[k] * vector[column[k]];
  return sum;
}

/* q = A p. A clause cannot be chosen at run time, so there is one loop per schedule. */
static void multiply(void) {
  switch (schedule) {
    case kDynamic:
#pragma omp parallel for schedule(dynamic) if (parallel)
      for (long i = 0; i < rows; i++) q[i] = row_times(i, p);
      break;
    case kStatic:
#pragma omp parallel for schedule(static) if (parallel)
      for (long i = 0; i < rows; i++) q[i] = row_times(i, p);
      break;
    default:
#pragma omp parallel for schedule(runtime) if (parallel)
      for (long i = 0; i < rows; i++) q[i] = row_times(i, p);
  }
}

static double dot(const double *one, const double *other) {
  double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum) if (parallel)
  for (long i = 0; i < rows; i++) sum += one[i] * other[i];
  return sum;
}

/* to += by * from, or to = from + by * to. */
static void add(double *to, double by, const double *from) {
#pragma omp parallel for schedule(static) if (parallel)
  for (long i = 0; i < rows; i++) to[i] += by * from[i];
}
static void scale_and_add(double *to, double by, const double *from) {
#pragma omp parallel for schedule(static) if (parallel)
  for (long i = 0; i < rows; i++) to[i] = from[i] + by * to[i];
}

static void solve(void) {
  double square = dot(r, r);
  for (long k = 0; k < steps && square > 0; k++) {
    multiply();
    double along = square / dot(p, q);
    add(x, along, p);
    add(r, -along, q);
    double before = square;
    square = dot(r, r);
    scale_and_add(p, square / before, r);
  }
}

/* How far from the solution, by how far it was: |b - A x| / |b|. */
static double residual(void) {
  double off = 0, all = 0;
  for (long i = 0; i < rows; i++) {
    double d = b[i] - row_times(i, x);
    off += d * d;
    all += b[i] * b[i];
  }
  return sqrt(off / all);
}

int main(int argc, char **argv) {
  const Option options[] = {
      {"--size", kLong, "N", &side, 4, 500, "points along an edge of the cube"},
      {"--steps", kLong, "N", &steps, 1, 1e6, "iterations"},
      {"--init", kChoice, "serial|parallel", &init, 0, 0, "who fills the arrays"},
      {"--schedule", kChoice, "dynamic|static|runtime", &schedule, 0, 0, "schedule of the product's rows"},
      {"--cutoff", kLong, "N", &cutoff, 0, 1e9, "N rows or fewer: no parallel region"},
      {"--no-cutoff", kSwitch, "", &cutoff, 0, 0, "always parallel"},
  };
  parse_options(argc, argv, "cg", "Conjugate gradients for a sparse matrix, a few parallel loops per iteration.", options,
                OPTION_COUNT(options));
  rows = side * side * side;
  count_entries();
  column = allocate((size_t)first[rows] * sizeof *column);
  value = allocate((size_t)first[rows] * sizeof *value);
  double **vectors[] = {&x, &r, &p, &q, &b};
  for (int v = 0; v < 5; v++) *vectors[v] = allocate((size_t)rows * sizeof(double));

  parallel = rows > cutoff;
  fill();
  double start = begin_timed_part();
  solve();
  double seconds = end_timed_part(start);

  /* The residual that the recurrence says is the one that is. */
  double of_recurrence = sqrt(dot(r, r) / dot(b, b)), found = residual();
  int ok = fabs(found - of_recurrence) < 1e-9 && found < 1;

  char size_text[48], text[48];
  snprintf(size_text, sizeof size_text, "%ldx%ld", rows, steps);
  snprintf(text, sizeof text, "%.6e", found);
  return finish("cg", size_text, text, -1, seconds, ok);
}
