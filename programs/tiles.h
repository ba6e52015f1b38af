/* What cholesky and qr share: a square matrix as tiles, each by itself in column-major order, as BLAS and LAPACK
   require, and their routines that both programs use. */
#ifndef EINKORN_PROGRAMS_TILES_H
#define EINKORN_PROGRAMS_TILES_H

#include <math.h>

#include "common.h"

enum { kDepend, kTask, kLoop }; /* --version */

static long tiles = 16; /* per side */
static int width = 64;  /* rows and columns of a tile */
static double **matrix; /* tile (i, j) is matrix[i * tiles + j] */

static inline double *tile(long i, long j) { return matrix[i * tiles + j]; }

static void make_tiles(void) {
  matrix = allocate((size_t)(tiles * tiles) * sizeof *matrix);
  for (long k = 0; k < tiles * tiles; k++) matrix[k] = allocate((size_t)width * (size_t)width * sizeof(double));
}

static inline double *element(long row, long column) {
  return tile(row / width, column / width) + row % width + column % width * width;
}

static inline double *make_vector(void) { return allocate((size_t)tiles * (size_t)width * sizeof(double)); }

static inline double largest_of(const double *x) {
  double found = 0;
  for (long r = 0; r < tiles * width; r++) {
    if (!isfinite(x[r])) return INFINITY;
    found = fmax(found, fabs(x[r]));
  }
  return found;
}

/* OpenBLAS built with threads of its own would start them beside ours. If it has none, or another BLAS is used, there
   is no such function. */
void openblas_set_num_threads(int) __attribute__((weak));

static inline void one_blas_thread(void) {
  if (openblas_set_num_threads) openblas_set_num_threads(1);
}

#endif
