/* LU factorisation of a sparse matrix of dense blocks, without pivoting: for each k the diagonal block is factorised,
   then tasks solve its row (fwd) and column (bdiv), then tasks update the rest (bmod). The null blocks follow the
   pattern of BOTS's program of this name: 5 blocks per side make 34 tasks, 60 make 900 + 900 + 18,010 = 19,810. With
   depend the diagonal blocks are tasks, too, and the steps overlap: the form of the KASTORS suite. */
#include <math.h>

#include "common.h"

enum { kTask, kDepend };

static long version = kTask;
static long blocks = 25; /* blocks per side */
static long width = 80;  /* rows and columns of a block */
static long cutoff = 0;  /* with this many block rows or fewer left, no tasks */

static double **matrix; /* matrix[i * blocks + j]: row-major block, NULL if all zero */

static double **block_at(long i, long j) { return &matrix[i * blocks + j]; }

/* Which blocks are null at the start. */
static int starts_null(long i, long j) {
  if (i == j || i == j - 1 || i - 1 == j) return 0;
  if (i % 2 == 1 || j % 2 == 1) return 1;
  return (i < j && i % 3 != 0) || (i > j && j % 3 != 0);
}

static void factorise_diagonal(double *a) {
  for (long k = 0; k < width; k++)
    for (long i = k + 1; i < width; i++) {
      double factor = a[i * width + k] /= a[k * width + k];
      for (long j = k + 1; j < width; j++) a[i * width + j] -= factor * a[k * width + j];
    }
}

/* b := L^-1 b, L the unit lower triangle of `diagonal`. */
static void fwd(const double *diagonal, double *b) {
  for (long k = 0; k < width; k++)
    for (long i = k + 1; i < width; i++) {
      double factor = diagonal[i * width + k];
      for (long j = 0; j < width; j++) b[i * width + j] -= factor * b[k * width + j];
    }
}

/* b := b U^-1, U the upper triangle of `diagonal`. */
static void bdiv(const double *diagonal, double *b) {
  for (long i = 0; i < width; i++)
    for (long k = 0; k < width; k++) {
      double factor = b[i * width + k] /= diagonal[k * width + k];
      for (long j = k + 1; j < width; j++) b[i * width + j] -= factor * diagonal[k * width + j];
    }
}

/* inner := inner - column * row. */
static void bmod(const double *column, const double *row, double *inner) {
  for (long i = 0; i < width; i++)
    for (long k = 0; k < width; k++) {
      double factor = column[i * width + k];
      for (long j = 0; j < width; j++) inner[i * width + j] -= factor * row[k * width + j];
    }
}

/* bmod on a block that may still be null: fill-in appears here, first touched by the task that computes it. */
static void bmod_filling(const double *column, const double *row, double **inner) {
  if (!*inner) {
    *inner = allocate((size_t)(width * width) * sizeof(double));
    memset(*inner, 0, (size_t)(width * width) * sizeof(double));
  }
  bmod(column, row, *inner);
}

static void factorise(void) {
  for (long k = 0; k < blocks; k++) {
    int few = blocks - k <= cutoff;
    const double *diagonal = *block_at(k, k);
    factorise_diagonal(*block_at(k, k));
    for (long j = k + 1; j < blocks; j++) {
      double *b = *block_at(k, j);
      if (!b) continue;
      if (few) { fwd(diagonal, b); continue; }
      count_tasks(1);
#pragma omp task firstprivate(diagonal, b)
      fwd(diagonal, b);
    }
    for (long i = k + 1; i < blocks; i++) {
      double *b = *block_at(i, k);
      if (!b) continue;
      if (few) { bdiv(diagonal, b); continue; }
      count_tasks(1);
#pragma omp task firstprivate(diagonal, b)
      bdiv(diagonal, b);
    }
#pragma omp taskwait
    for (long i = k + 1; i < blocks; i++) {
      const double *column = *block_at(i, k);
      if (!column) continue;
      for (long j = k + 1; j < blocks; j++) {
        const double *row = *block_at(k, j);
        double **inner = block_at(i, j);
        if (!row) continue;
        if (few) { bmod_filling(column, row, inner); continue; }
        count_tasks(1);
#pragma omp task firstprivate(column, row, inner)
        bmod_filling(column, row, inner);
      }
    }
#pragma omp taskwait
  }
}

/* [i * blocks + j]: block i, j is not null at the start. */
static unsigned char *pattern(void) {
  unsigned char *full = allocate((size_t)(blocks * blocks));
  for (long i = 0; i < blocks; i++)
    for (long j = 0; j < blocks; j++) full[i * blocks + j] = !starts_null(i, j);
  return full;
}

/* One producer, which goes by the pattern, not the blocks: tasks may not have filled them yet. */
static void factorise_depend(void) {
  unsigned char *full = pattern();
  for (long k = 0; k < blocks; k++) {
    double **diagonal = block_at(k, k);
    count_tasks(1);
#pragma omp task firstprivate(diagonal) depend(inout : diagonal[0])
    factorise_diagonal(*diagonal);
    for (long j = k + 1; j < blocks; j++) {
      double **b = block_at(k, j);
      if (!full[k * blocks + j]) continue;
      count_tasks(1);
#pragma omp task firstprivate(diagonal, b) depend(in : diagonal[0]) depend(inout : b[0])
      fwd(*diagonal, *b);
    }
    for (long i = k + 1; i < blocks; i++) {
      double **b = block_at(i, k);
      if (!full[i * blocks + k]) continue;
      count_tasks(1);
#pragma omp task firstprivate(diagonal, b) depend(in : diagonal[0]) depend(inout : b[0])
      bdiv(*diagonal, *b);
    }
    for (long i = k + 1; i < blocks; i++) {
      if (!full[i * blocks + k]) continue;
      for (long j = k + 1; j < blocks; j++) {
        if (!full[k * blocks + j]) continue;
        double **column = block_at(i, k), **row = block_at(k, j), **inner = block_at(i, j);
        full[i * blocks + j] = 1;
        count_tasks(1);
#pragma omp task firstprivate(column, row, inner) depend(in : column[0], row[0]) depend(inout : inner[0])
        bmod_filling(*column, *row, inner);
      }
    }
  }
#pragma omp taskwait
  free(full);
}

/* The number of tasks of a factorisation, from the pattern alone. */
static long count_expected_tasks(void) {
  unsigned char *full = pattern();
  long tasks = version == kDepend ? blocks : 0, last = version == kDepend ? 0 : cutoff;
  for (long k = 0; k < blocks && blocks - k > last; k++) {
    for (long x = k + 1; x < blocks; x++) tasks += full[k * blocks + x] + full[x * blocks + k];
    for (long i = k + 1; i < blocks; i++)
      for (long j = k + 1; j < blocks; j++)
        if (full[i * blocks + k] && full[k * blocks + j]) full[i * blocks + j] = 1, tasks++;
  }
  free(full);
  return tasks;
}

/* Values in [-1, 1); the diagonal outweighs its row, so that no pivoting is needed. */
static void fill_matrix(uint64_t seed) {
  uint64_t state = random_seed(seed);
  matrix = allocate((size_t)(blocks * blocks) * sizeof *matrix);
  for (long i = 0; i < blocks; i++)
    for (long j = 0; j < blocks; j++) {
      double *b = NULL;
      if (!starts_null(i, j)) {
        b = allocate((size_t)(width * width) * sizeof *b);
        for (long e = 0; e < width * width; e++) b[e] = 2 * random_unit(&state) - 1;
        if (i == j)
          for (long e = 0; e < width; e++) b[e * width + e] += (double)(2 * blocks * width);
      }
      *block_at(i, j) = b;
    }
}

/* y := M x, with only a part of M: 0 all, 1 the unit lower triangle, 2 the upper triangle. */
static void multiply(int part, const double *x, double *y) {
  for (long r = 0; r < blocks * width; r++) y[r] = 0;
  for (long bi = 0; bi < blocks; bi++)
    for (long bj = 0; bj < blocks; bj++) {
      const double *b = *block_at(bi, bj);
      if (!b) continue;
      for (long i = 0; i < width; i++)
        for (long j = 0; j < width; j++) {
          long row = bi * width + i, column = bj * width + j;
          double value = b[i * width + j];
          if (part == 1) value = row > column ? value : row == column;
          if (part == 2 && row > column) value = 0;
          y[row] += value * x[column];
        }
    }
}

int main(int argc, char **argv) {
  long seed = 1;
  const Option options[] = {
      {"--size", kLong, "N", &blocks, 1, 2000, "blocks per side"},
      {"--block", kLong, "N", &width, 1, 4096, "rows and columns of a block"},
      {"--version", kChoice, "task|depend", &version, 0, 0, ""},
      {"--cutoff", kLong, "N", &cutoff, 0, 1e6, "version task: no tasks when N block rows or fewer are left"},
      {"--no-cutoff", kSwitch, "", &cutoff, 0, 0, "tasks to the end"},
      {"--seed", kLong, "N", &seed, 0, 1e15, "seed of the matrix"},
  };
  parse_options(argc, argv, "sparselu", "LU factorisation of a sparse blocked matrix, tasks from one producer.",
                options, OPTION_COUNT(options));
  fill_matrix((uint64_t)seed);

  /* A x before, L (U x) after, for a random x: an error anywhere in L or U shows in the difference. */
  long rows = blocks * width;
  double *x = allocate((size_t)rows * sizeof *x), *before = allocate((size_t)rows * sizeof *before);
  double *ux = allocate((size_t)rows * sizeof *ux), *after = allocate((size_t)rows * sizeof *after);
  uint64_t state = random_seed((uint64_t)seed + 1);
  for (long r = 0; r < rows; r++) x[r] = 2 * random_unit(&state) - 1;
  multiply(0, x, before);

  double start = begin_timed_part();
#pragma omp parallel
  {
#pragma omp single
    {
      if (version == kDepend) factorise_depend();
      else factorise();
    }
    flush_task_count();
  }
  double seconds = end_timed_part(start);

  multiply(2, x, ux);
  multiply(1, ux, after);
  double worst = 0, largest = 0, trace = 0;
  int finite = 1;
  for (long r = 0; r < rows; r++) {
    finite &= isfinite(after[r]) != 0;
    worst = fmax(worst, fabs(after[r] - before[r]));
    largest = fmax(largest, fabs(before[r]));
  }
  for (long k = 0; k < blocks; k++)
    for (long e = 0; e < width; e++) trace += (*block_at(k, k))[e * width + e];
  /* Each sum has `rows` terms: rounding stays far below rows x 2^-50 of the largest component. */
  int ok = finite && worst <= largest * (double)rows * 0x1p-50 && tasks_made == count_expected_tasks();

  char size[64], text[48];
  snprintf(size, sizeof size, "%ldx%ld", blocks, width);
  snprintf(text, sizeof text, "%.12g", trace);
  return finish("sparselu", size, text, tasks_made, seconds, ok);
}
