/* Cholesky factorisation of a symmetric positive definite matrix in tiles, by the BLAS and LAPACK routines for one
   tile: the usual example of dependences for runtimes (KASTORS' dpotrf_taskdep is one). With depend the tasks of all
   steps are in flight together; with task a taskwait ends each phase of a step; with loop each phase is a work-sharing
   loop; with codelet the operations on tiles are a graph (a library without codelets creates the tasks of depend). */
#include <einkorn/codelet.h>

#include "tiles.h"

enum { kCodelet = kLoop + 1 };

void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info);
void dtrsm_(const char *side, const char *uplo, const char *trans, const char *diag, const int *m, const int *n,
            const double *alpha, const double *a, const int *lda, double *b, const int *ldb);
void dsyrk_(const char *uplo, const char *trans, const int *n, const int *k, const double *alpha, const double *a,
            const int *lda, const double *beta, double *c, const int *ldc);
void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k, const double *alpha,
            const double *a, const int *lda, const double *b, const int *ldb, const double *beta, double *c,
            const int *ldc);

static long version = kDepend, cutoff = 0, wide = 64;
static const double kOne = 1, kMinusOne = -1;
static int broken; /* a diagonal tile was not positive definite */

static void potrf(double *a) {
  int info = 0;
  dpotrf_("L", &width, a, &width, &info);
  if (info) __atomic_store_n(&broken, 1, __ATOMIC_RELAXED);
}

static void trsm(const double *diagonal, double *b) {
  dtrsm_("R", "L", "T", "N", &width, &width, &kOne, diagonal, &width, b, &width);
}

static void syrk(const double *a, double *diagonal) {
  dsyrk_("L", "N", &width, &width, &kMinusOne, a, &width, &kOne, diagonal, &width);
}

static void gemm(const double *a, const double *b, double *c) {
  dgemm_("N", "T", &width, &width, &width, &kMinusOne, a, &width, b, &width, &kOne, c, &width);
}

/* What a step does to tile (i, j), k < j <= i. */
static void update(long i, long j, long k) {
  if (i == j)
    syrk(tile(i, k), tile(i, i));
  else
    gemm(tile(i, k), tile(j, k), tile(i, j));
}

static void step_sequential(long k) {
  potrf(tile(k, k));
  for (long i = k + 1; i < tiles; i++) trsm(tile(k, k), tile(i, k));
  for (long i = k + 1; i < tiles; i++)
    for (long j = k + 1; j <= i; j++) update(i, j, k);
}

static void factorise_depend(void) {
  for (long k = 0; k < tiles; k++) {
    double *diagonal = tile(k, k);
    count_tasks(1);
#pragma omp task firstprivate(diagonal) depend(inout : diagonal[0])
    potrf(diagonal);
    for (long i = k + 1; i < tiles; i++) {
      double *a = tile(i, k);
      count_tasks(1);
#pragma omp task firstprivate(diagonal, a) depend(in : diagonal[0]) depend(inout : a[0])
      trsm(diagonal, a);
    }
    for (long i = k + 1; i < tiles; i++) {
      double *a = tile(i, k), *own = tile(i, i);
      for (long j = k + 1; j < i; j++) {
        double *b = tile(j, k), *c = tile(i, j);
        count_tasks(1);
#pragma omp task firstprivate(a, b, c) depend(in : a[0], b[0]) depend(inout : c[0])
        gemm(a, b, c);
      }
      count_tasks(1);
#pragma omp task firstprivate(a, own) depend(in : a[0]) depend(inout : own[0])
      syrk(a, own);
    }
  }
#pragma omp taskwait
}

static void factorise_tasks(void) {
  for (long k = 0; k < tiles; k++) {
    if (tiles - k <= cutoff) {
      step_sequential(k);
      continue;
    }
    potrf(tile(k, k));
    for (long i = k + 1; i < tiles; i++) {
      count_tasks(1);
#pragma omp task firstprivate(i, k)
      trsm(tile(k, k), tile(i, k));
    }
#pragma omp taskwait
    for (long i = k + 1; i < tiles; i++)
      for (long j = k + 1; j <= i; j++) {
        count_tasks(1);
#pragma omp task firstprivate(i, j, k)
        update(i, j, k);
      }
#pragma omp taskwait
  }
}

static void factorise_loops(void) {
#pragma omp parallel
  for (long k = 0; k < tiles; k++) {
#pragma omp single
    potrf(tile(k, k));
#pragma omp for schedule(dynamic, 1)
    for (long i = k + 1; i < tiles; i++) trsm(tile(k, k), tile(i, k));
#pragma omp for schedule(dynamic, 1)
    for (long i = tiles - 1; i > k; i--) /* the longest row first */
      for (long j = k + 1; j <= i; j++) update(i, j, k);
  }
}

/* A graph of codelets, in three classes: step k's potrf, its trsm of tile (i, k), its update of tile (i, j). What a class
   does is numbered in the order of the steps. */
static struct update {
  int i, j, k;
} * trsms, *updates;

static void fire_potrf(void *nothing, uint32_t k) {
  (void)nothing;
  potrf(tile(k, k));
}
static void fire_trsm(void *all, uint32_t n) {
  struct update *u = (struct update *)all + n;
  trsm(tile(u->k, u->k), tile(u->i, u->k));
}
static void fire_update(void *all, uint32_t n) {
  struct update *u = (struct update *)all + n;
  update(u->i, u->j, u->k);
}

/* Of step k: how many came in the steps before. */
static uint32_t trsms_before(long k) { return (uint32_t)(k * (2 * tiles - k - 1) / 2); }
static uint32_t trsm_number(long i, long k) { return trsms_before(k) + (uint32_t)(i - k - 1); }
static uint32_t updates_before(long k) {
  uint32_t count = 0;
  for (long s = 0; s < k; s++) count += (uint32_t)((tiles - s - 1) * (tiles - s) / 2);
  return count;
}
static uint32_t update_number(uint32_t before, long i, long j, long k) {
  return before + (uint32_t)((i - k - 1) * (i - k) / 2 + (j - k - 1));
}

static ek_graph *make_codelets(void) {
  uint32_t all_trsms = trsms_before(tiles), all_updates = updates_before(tiles);
  trsms = allocate((all_trsms + 1) * sizeof *trsms);
  updates = allocate((all_updates + 1) * sizeof *updates);
  ek_graph *g = ek_graph_new("cholesky");
  int p = ek_graph_class(g, fire_potrf, NULL, (uint32_t)tiles, __LINE__);
  int t = ek_graph_class(g, fire_trsm, trsms, all_trsms, __LINE__);
  int u = ek_graph_class(g, fire_update, updates, all_updates, __LINE__);
  for (long k = 0; k < tiles; k++) {
    uint32_t now = updates_before(k), before = k ? updates_before(k - 1) : 0;
    if (k) ek_graph_arc(g, u, update_number(before, k, k, k - 1), p, (uint32_t)k);
    for (long i = k + 1; i < tiles; i++) {
      uint32_t own = trsm_number(i, k);
      trsms[own] = (struct update){(int)i, 0, (int)k};
      ek_graph_arc(g, p, (uint32_t)k, t, own);
      if (k) ek_graph_arc(g, u, update_number(before, i, k, k - 1), t, own);
      for (long j = k + 1; j <= i; j++) {
        uint32_t n = update_number(now, i, j, k);
        updates[n] = (struct update){(int)i, (int)j, (int)k};
        ek_graph_arc(g, t, own, u, n);
        if (j != i) ek_graph_arc(g, t, trsm_number(j, k), u, n);
        if (k) ek_graph_arc(g, u, update_number(before, i, j, k - 1), u, n);
      }
    }
  }
  if (ek_graph_close(g) != 0) exit(2);
  return g;
}

/* Symmetric, the diagonal outweighs its row. */
static void fill_matrix(uint64_t seed) {
  uint64_t state = random_seed(seed);
  long rows = tiles * width;
  for (long r = 0; r < rows; r++)
    for (long c = 0; c <= r; c++) {
      double value = r == c ? (double)rows + random_unit(&state) : 2 * random_unit(&state) - 1;
      *element(r, c) = *element(c, r) = value;
    }
}

int main(int argc, char **argv) {
  long seed = 1;
  const Option options[] = {
      {"--size", kLong, "N", &tiles, 1, 2000, "tiles per side"},
      {"--block", kLong, "N", &wide, 1, 4096, "rows and columns of a tile"},
      {"--version", kChoice, "depend|task|loop|codelet", &version, 0, 0, ""},
      {"--cutoff", kLong, "N", &cutoff, 0, 1e6, "task: none when N rows of tiles or fewer are left"},
      {"--no-cutoff", kSwitch, "", &cutoff, 0, 0, "tasks to the end"},
      {"--seed", kLong, "N", &seed, 0, 1e15, "seed of the matrix"},
  };
  parse_options(argc, argv, "cholesky", "Cholesky factorisation of a tiled matrix, with LAPACK's kernels.", options,
                OPTION_COUNT(options));
  width = (int)wide;
  one_blas_thread();
  make_tiles();
  fill_matrix((uint64_t)seed);

  /* A x before, L (L' x) after, for a random x. */
  long rows = tiles * width;
  double *x = make_vector(), *before = make_vector(), *half = make_vector(), *after = make_vector();
  uint64_t state = random_seed((uint64_t)seed + 1);
  for (long r = 0; r < rows; r++) x[r] = 2 * random_unit(&state) - 1;
  for (long r = 0; r < rows; r++) {
    before[r] = half[r] = after[r] = 0;
    for (long c = 0; c < rows; c++) before[r] += *element(r, c) * x[c];
  }

  ek_graph *graph = version == kCodelet && ek_on() ? make_codelets() : NULL;
  double start = begin_timed_part();
  if (graph) {
    ek_graph_run(graph);
  } else if (version == kLoop) {
    factorise_loops();
  } else {
#pragma omp parallel
    {
#pragma omp single
      {
        if (version == kTask) factorise_tasks();
        else factorise_depend();
      }
      flush_task_count();
    }
  }
  double seconds = end_timed_part(start);
  ek_graph_free(graph);

  double trace = 0;
  for (long r = 0; r < rows; r++) trace += *element(r, r);
  for (long r = 0; r < rows; r++)
    for (long c = 0; c <= r; c++) half[c] += *element(r, c) * x[r];
  for (long r = 0; r < rows; r++)
    for (long c = 0; c <= r; c++) after[r] += *element(r, c) * half[c];
  for (long r = 0; r < rows; r++) after[r] -= before[r];
  int ok = !broken && largest_of(after) <= largest_of(before) * (double)rows * 0x1p-50;
  /* n tiles per side: n potrf, n (n - 1) / 2 trsm and as many syrk, n (n - 1) (n - 2) / 6 gemm. */
  if (version == kDepend) ok &= tasks_made == tiles + tiles * (tiles - 1) + tiles * (tiles - 1) * (tiles - 2) / 6;

  char size_text[64], text[48];
  snprintf(size_text, sizeof size_text, "%ldx%d", tiles, width);
  snprintf(text, sizeof text, "%.12g", trace);
  return finish("cholesky", size_text, text, version >= kLoop ? -1 : tasks_made, seconds, ok);
}
