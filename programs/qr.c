/* QR factorisation of a square matrix in tiles (Buttari, Langou, Kurzak, Dongarra, Parallel Computing 35, 2009), by
   LAPACK's routines for one tile, or for two on top of each other. Each column of tiles is a chain from the top down,
   and the columns to the right follow it: more dependences and less parallelism than in cholesky. With depend the tasks
   of all steps are in flight together (as in KASTORS' dgeqrf_taskdep); with task and loop only the columns of one row
   at a time. */
#include "tiles.h"

void dgeqrt_(const int *m, const int *n, const int *nb, double *a, const int *lda, double *t, const int *ldt,
             double *work, int *info);
void dgemqrt_(const char *side, const char *trans, const int *m, const int *n, const int *k, const int *nb,
              const double *v, const int *ldv, const double *t, const int *ldt, double *c, const int *ldc,
              double *work, int *info);
void dtpqrt_(const int *m, const int *n, const int *l, const int *nb, double *a, const int *lda, double *b,
             const int *ldb, double *t, const int *ldt, double *work, int *info);
void dtpmqrt_(const char *side, const char *trans, const int *m, const int *n, const int *k, const int *l,
              const int *nb, const double *v, const int *ldv, const double *t, const int *ldt, double *a,
              const int *lda, double *b, const int *ldb, double *work, int *info);

static long version = kDepend, cutoff = 0, wide = 64;
static int inner = 16;         /* columns that LAPACK's routines take at once */
static double **triangles;     /* the factors T of the reflections of each tile: inner x width */
static int broken;             /* a routine reported an error */
static const int kNothing = 0; /* the tile below is full, not triangular */

static double *triangle(long i, long j) { return triangles[i * tiles + j]; }

/* Workspace for one call. */
static double *scratch(int columns) { return allocate((size_t)inner * (size_t)columns * sizeof(double)); }

static void look_at(int info) {
  if (info) __atomic_store_n(&broken, 1, __ATOMIC_RELAXED);
}

/* a := its R and its reflections. */
static void factor_top(double *a, double *t) {
  int info = 0;
  double *work = scratch(width);
  dgeqrt_(&width, &width, &inner, a, &width, t, &inner, work, &info);
  free(work);
  look_at(info);
}

/* The reflections of (v, t) onto the `columns` of c. */
static void apply_top(const double *v, const double *t, double *c, int columns) {
  int info = 0;
  double *work = scratch(columns);
  dgemqrt_("L", "T", &width, &columns, &width, &inner, v, &width, t, &inner, c, &width, work, &info);
  free(work);
  look_at(info);
}

/* The triangle on top and the tile b become a triangle and reflections. */
static void factor_pair(double *top, double *b, double *t) {
  int info = 0;
  double *work = scratch(width);
  dtpqrt_(&width, &width, &kNothing, &inner, top, &width, b, &width, t, &inner, work, &info);
  free(work);
  look_at(info);
}

static void apply_pair(const double *v, const double *t, double *top, double *b, int columns) {
  int info = 0;
  double *work = scratch(columns);
  dtpmqrt_("L", "T", &width, &columns, &width, &kNothing, &inner, v, &width, t, &inner, top, &width, b, &width,
           work, &info);
  free(work);
  look_at(info);
}

/* Row i of step k: makes the zeros in column k, and applies the consequences to column j. */
static void factor_row(long i, long k) {
  if (i == k)
    factor_top(tile(k, k), triangle(k, k));
  else
    factor_pair(tile(k, k), tile(i, k), triangle(i, k));
}

static void apply_row(long i, long j, long k) {
  if (i == k)
    apply_top(tile(k, k), triangle(k, k), tile(k, j), width);
  else
    apply_pair(tile(i, k), triangle(i, k), tile(k, j), tile(i, j), width);
}

static void factorise_depend(void) {
  for (long k = 0; k < tiles; k++) {
    double *top = tile(k, k), *t = triangle(k, k);
    count_tasks(1);
#pragma omp task firstprivate(top, t) depend(inout : top[0]) depend(out : t[0])
    factor_top(top, t);
    for (long j = k + 1; j < tiles; j++) {
      double *c = tile(k, j);
      count_tasks(1);
      /* t stands for the reflections in the lower half of the tile: the next factor_pair changes the upper half
         only. */
#pragma omp task firstprivate(top, t, c) depend(in : t[0]) depend(inout : c[0])
      apply_top(top, t, c, width);
    }
    for (long i = k + 1; i < tiles; i++) {
      double *b = tile(i, k), *u = triangle(i, k);
      count_tasks(1);
#pragma omp task firstprivate(top, b, u) depend(inout : top[0], b[0]) depend(out : u[0])
      factor_pair(top, b, u);
      for (long j = k + 1; j < tiles; j++) {
        double *above = tile(k, j), *c = tile(i, j);
        count_tasks(1);
#pragma omp task firstprivate(b, u, above, c) depend(in : b[0], u[0]) depend(inout : above[0], c[0])
        apply_pair(b, u, above, c, width);
      }
    }
  }
#pragma omp taskwait
}

static void factorise_tasks(void) {
  for (long k = 0; k < tiles; k++)
    for (long i = k; i < tiles; i++) {
      factor_row(i, k);
      for (long j = k + 1; j < tiles; j++) {
        if (tiles - k <= cutoff) {
          apply_row(i, j, k);
          continue;
        }
        count_tasks(1);
#pragma omp task firstprivate(i, j, k)
        apply_row(i, j, k);
      }
#pragma omp taskwait
    }
}

static void factorise_loops(void) {
#pragma omp parallel
  for (long k = 0; k < tiles; k++)
    for (long i = k; i < tiles; i++) {
#pragma omp single
      factor_row(i, k);
#pragma omp for schedule(dynamic, 1)
      for (long j = k + 1; j < tiles; j++) apply_row(i, j, k);
    }
}

static void fill_matrix(uint64_t seed) {
  uint64_t state = random_seed(seed);
  make_tiles();
  triangles = allocate((size_t)(tiles * tiles) * sizeof *triangles);
  for (long k = 0; k < tiles * tiles; k++) {
    triangles[k] = allocate((size_t)inner * (size_t)width * sizeof(double));
    for (long e = 0; e < (long)width * width; e++) matrix[k][e] = 2 * random_unit(&state) - 1;
  }
}

int main(int argc, char **argv) {
  long seed = 1;
  const Option options[] = {
      {"--size", kLong, "N", &tiles, 1, 2000, "tiles per side"},
      {"--block", kLong, "N", &wide, 1, 4096, "rows and columns of a tile"},
      {"--version", kChoice, "depend|task|loop", &version, 0, 0, ""},
      {"--cutoff", kLong, "N", &cutoff, 0, 1e6, "task: none when N rows of tiles or fewer are left"},
      {"--no-cutoff", kSwitch, "", &cutoff, 0, 0, "tasks to the end"},
      {"--seed", kLong, "N", &seed, 0, 1e15, "seed of the matrix"},
  };
  parse_options(argc, argv, "qr", "QR factorisation of a tiled matrix, with LAPACK's kernels.", options,
                OPTION_COUNT(options));
  width = (int)wide;
  if (inner > width) inner = width;
  one_blas_thread();
  fill_matrix((uint64_t)seed);

  /* y = A x before; afterwards Q' y, by the reflections in their order, must be R x. */
  long rows = tiles * width;
  double *x = make_vector(), *y = make_vector(), *product = make_vector();
  uint64_t state = random_seed((uint64_t)seed + 1);
  for (long r = 0; r < rows; r++) x[r] = 2 * random_unit(&state) - 1;
  for (long r = 0; r < rows; r++) {
    y[r] = product[r] = 0;
    for (long c = 0; c < rows; c++) y[r] += *element(r, c) * x[c];
  }
  double before = largest_of(y);

  double start = begin_timed_part();
  if (version == kLoop) {
    factorise_loops();
  } else {
#pragma omp parallel
    {
#pragma omp single
      {
        if (version == kDepend) factorise_depend();
        else factorise_tasks();
      }
      flush_task_count();
    }
  }
  double seconds = end_timed_part(start);

  for (long k = 0; k < tiles; k++) {
    apply_top(tile(k, k), triangle(k, k), y + k * width, 1);
    for (long i = k + 1; i < tiles; i++) apply_pair(tile(i, k), triangle(i, k), y + k * width, y + i * width, 1);
  }
  double sum = 0; /* of the absolute values of R's diagonal: its signs are LAPACK's choice */
  for (long r = 0; r < rows; r++) {
    sum += fabs(*element(r, r));
    for (long c = r; c < rows; c++) product[r] += *element(r, c) * x[c];
    product[r] -= y[r];
  }
  int ok = !broken && largest_of(product) <= before * (double)rows * 0x1p-48;
  if (version == kDepend) { /* sum of m x m for m = 1..tiles */
    ok &= tasks_made == tiles * (tiles + 1) * (2 * tiles + 1) / 6;
  }
  char size_text[64], text[48];
  snprintf(size_text, sizeof size_text, "%ldx%d", tiles, width);
  snprintf(text, sizeof text, "%.12g", sum);
  return finish("qr", size_text, text, version == kLoop ? -1 : tasks_made, seconds, ok);
}
