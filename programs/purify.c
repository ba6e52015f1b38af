/* The density matrix of a long chain of atoms, without diagonalisation: a polynomial of the Hamiltonian that is 1 on the
   occupied states and 0 on the others, by squaring again and again; whether P becomes P P or 2 P - P P is decided by its
   trace (Niklasson 2002). The matrices are sparse, entries below a threshold are dropped, so that all is linear in the
   number of atoms. All steps are in one parallel region; the product is a function with an orphaned loop over rows, which
   differ in length, each thread with a dense row of its own to add up in. */
#include <math.h>

#include "common.h"

typedef struct {
  long count;
  int *column;
  double *value;
} Row;

typedef struct {
  Row *row;
  long entries;
  double trace;
} Matrix;

static long n = 4000, most_steps = 60, cutoff = 0, chunk = 16;
static double threshold = 1e-8, tolerance = 1e-9;

static void new_row(Row *row, long room) {
  row->count = 0;
  row->column = allocate((size_t)(room ? room : 1) * sizeof *row->column);
  row->value = allocate((size_t)(room ? room : 1) * sizeof *row->value);
}

static void free_row(Row *row) {
  free(row->column);
  free(row->value);
  row->column = NULL;
  row->value = NULL;
  row->count = 0;
}

static Matrix new_matrix(void) {
  Matrix m = {allocate((size_t)n * sizeof(Row)), 0, 0};
  for (long i = 0; i < n; i++) m.row[i] = (Row){0, NULL, NULL};
  return m;
}

static void free_matrix(Matrix *m) {
  for (long i = 0; i < n; i++) free_row(&m->row[i]);
  free(m->row);
}

static double entry(const Matrix *m, long i, long j) {
  const Row *row = &m->row[i];
  for (long at = 0; at < row->count; at++)
    if (row->column[at] == j) return row->value[at];
  return 0;
}

/* A chain of pairs: strong bonds within a pair, weak ones between, a random level for each atom; there is a gap between
   the lower half of the states and the upper one. */
static void make_hamiltonian(Matrix *h, uint64_t seed) {
  uint64_t state = random_seed(seed);
  for (long i = 0; i < n; i++) {
    Row *row = &h->row[i];
    new_row(row, 3);
    double level = 0.4 * (random_unit(&state) - 0.5);
    if (i > 0) row->column[row->count] = (int)(i - 1), row->value[row->count++] = i % 2 ? -1 : -0.3;
    row->column[row->count] = (int)i, row->value[row->count++] = level;
    if (i + 1 < n) row->column[row->count] = (int)(i + 1), row->value[row->count++] = i % 2 ? -0.3 : -1;
  }
}

/* A thread's dense row: sums, which columns have one, and a list of these. */
typedef struct {
  double *sum;
  char *touched;
  int *list;
} Workspace;

static int by_number(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

/* Row i of a b, with what is large enough: a new row. */
static void multiply_row(const Matrix *a, const Matrix *b, long i, Workspace *work, Row *out) {
  long touched = 0;
  for (long x = 0; x < a->row[i].count; x++) {
    const Row *other = &b->row[a->row[i].column[x]];
    double factor = a->row[i].value[x];
    for (long y = 0; y < other->count; y++) {
      int j = other->column[y];
      if (!work->touched[j]) {
        work->touched[j] = 1;
        work->sum[j] = 0;
        work->list[touched++] = j;
      }
      work->sum[j] += factor * other->value[y];
    }
  }
  qsort(work->list, (size_t)touched, sizeof *work->list, by_number);
  new_row(out, touched);
  for (long t = 0; t < touched; t++) {
    int j = work->list[t];
    work->touched[j] = 0;
    if (fabs(work->sum[j]) < threshold && j != i) continue;
    out->column[out->count] = j;
    out->value[out->count++] = work->sum[j];
  }
}

/* square = p p, by all threads of a team. */
static void square_of(const Matrix *p, Matrix *square, Workspace *work) {
#pragma omp for schedule(dynamic, chunk)
  for (long i = 0; i < n; i++) {
    free_row(&square->row[i]);
    multiply_row(p, p, i, work, &square->row[i]);
  }
}

/* p = 2 p - square: both have their columns in order. */
static void reflect_row(Row *p, const Row *square) {
  Row out;
  new_row(&out, p->count + square->count);
  long a = 0, b = 0;
  while (a < p->count || b < square->count) {
    int ca = a < p->count ? p->column[a] : INT32_MAX, cb = b < square->count ? square->column[b] : INT32_MAX;
    double value = 0;
    if (ca <= cb) value += 2 * p->value[a++];
    if (cb <= ca) value -= square->value[b++];
    out.column[out.count] = ca < cb ? ca : cb;
    out.value[out.count++] = value;
  }
  free_row(p);
  *p = out;
}

static void swap_rows(Matrix *a, Matrix *b) {
  Row *kept = a->row;
  a->row = b->row;
  b->row = kept;
}

/* Purifies until p is its own square; returns the number of steps. In the order of rows, so that each run decides alike. */
static double trace_of(const Matrix *m) {
  double sum = 0;
  for (long i = 0; i < n; i++) sum += entry(m, i, i);
  return sum;
}

static long purify(const Matrix *h, Matrix *p, int parallel) {
  Matrix square = new_matrix();
  double low = 0, high = 0, trace = 0, square_trace = 0, change = 0;
  long steps = 0, entries = 0;
  const double occupied = (double)(n / 2);
#pragma omp parallel if (parallel) default(none) shared(n, h, p, square, low, high, trace, square_trace, change, steps, entries) \
    firstprivate(most_steps, tolerance, occupied)
  {
    Workspace work = {allocate((size_t)n * sizeof(double)), allocate((size_t)n), allocate((size_t)n * sizeof(int))};
    memset(work.touched, 0, (size_t)n);
    /* Gershgorin's bounds on the levels, then all of them between 0 and 1, the lowest at 1. */
#pragma omp for schedule(static) reduction(min : low) reduction(max : high)
    for (long i = 0; i < n; i++) {
      double middle = 0, radius = 0;
      for (long at = 0; at < h->row[i].count; at++) {
        if (h->row[i].column[at] == i) middle = h->row[i].value[at];
        else radius += fabs(h->row[i].value[at]);
      }
      low = fmin(low, middle - radius);
      high = fmax(high, middle + radius);
    }
#pragma omp for schedule(static)
    for (long i = 0; i < n; i++) {
      const Row *from = &h->row[i];
      free_row(&p->row[i]);
      new_row(&p->row[i], from->count);
      for (long at = 0; at < from->count; at++) {
        p->row[i].column[at] = from->column[at];
        p->row[i].value[at] = ((from->column[at] == i ? high : 0) - from->value[at]) / (high - low);
      }
      p->row[i].count = from->count;
    }
    for (;;) {
      square_of(p, &square, &work);
#pragma omp single
      {
        trace = trace_of(p);
        square_trace = trace_of(&square);
        change = fabs(trace - square_trace);
        steps++;
      }
      if (change < tolerance * occupied || steps == most_steps) break;
      if (trace > occupied) {
#pragma omp master
        swap_rows(p, &square);
      } else {
#pragma omp for schedule(guided) nowait
        for (long i = 0; i < n; i++) reflect_row(&p->row[i], &square.row[i]);
      }
#pragma omp barrier
    }
    long mine = 0;
#pragma omp for nowait
    for (long i = 0; i < n; i++) mine += p->row[i].count;
#pragma omp atomic
    entries += mine;
    free(work.sum);
    free(work.touched);
    free(work.list);
  }
  p->entries = entries;
  p->trace = trace;
  free_matrix(&square);
  return steps;
}

/* Twice the sum of the occupied levels. */
static double energy_of(const Matrix *p, const Matrix *h) {
  double sum = 0;
  for (long i = 0; i < n; i++)
    for (long at = 0; at < h->row[i].count; at++) sum += 2 * h->row[i].value[at] * entry(p, h->row[i].column[at], i);
  return sum;
}

/* Some rows of p h and h p: what belongs to the same states commutes. */
static int commutes(const Matrix *p, const Matrix *h) {
  for (long i = 0; i < n; i += 1 + n / 100)
    for (long j = i < 6 ? 0 : i - 6; j < n && j <= i + 6; j++) {
      double sum = 0;
      for (long at = 0; at < h->row[j].count; at++) sum += entry(p, i, h->row[j].column[at]) * h->row[j].value[at];
      for (long at = 0; at < h->row[i].count; at++) sum -= h->row[i].value[at] * entry(p, h->row[i].column[at], j);
      if (!(fabs(sum) < 1e-4)) return 0;
    }
  return 1;
}

static int same(const Matrix *a, const Matrix *b) {
  for (long i = 0; i < n; i++)
    if (a->row[i].count != b->row[i].count ||
        memcmp(a->row[i].column, b->row[i].column, (size_t)a->row[i].count * sizeof(int)) != 0 ||
        memcmp(a->row[i].value, b->row[i].value, (size_t)a->row[i].count * sizeof(double)) != 0)
      return 0;
  return 1;
}

int main(int argc, char **argv) {
  long seed = 1;
  const Option options[] = {
      {"--size", kLong, "N", &n, 2, 1e7, "atoms, two for each pair of electrons"},
      {"--steps", kLong, "N", &most_steps, 1, 1000, "at most so many products"},
      {"--threshold", kDouble, "X", &threshold, 0, 1e-3, "smaller entries are dropped"},
      {"--chunk", kLong, "N", &chunk, 1, 1e6, "rows a chunk"},
      {"--cutoff", kLong, "N", &cutoff, 0, 1e9, "N atoms or fewer: no parallel region"},
      {"--no-cutoff", kSwitch, "", &cutoff, 0, 0, "always parallel"},
      {"--seed", kLong, "N", &seed, 0, 1e15, "seed of the atoms' levels"},
  };
  parse_options(argc, argv, "purify", "Sparse density-matrix purification of a chain of atoms.", options, OPTION_COUNT(options));
  n += n % 2;
  Matrix h = new_matrix(), p = new_matrix(), expected = new_matrix();
  make_hamiltonian(&h, (uint64_t)seed);
  double start = begin_timed_part();
  long steps = purify(&h, &p, n > cutoff);
  double seconds = end_timed_part(start);

  /* As many electrons as there should be, the states of the Hamiltonian, and the sequential run's bits. */
  int ok = fabs(p.trace - (double)(n / 2)) < 1e-4 * (double)n && commutes(&p, &h);
  ok &= purify(&h, &expected, 0) == steps && same(&p, &expected) && p.entries == expected.entries;
  double energy = energy_of(&p, &h);
  char size_text[48], text[64];
  snprintf(size_text, sizeof size_text, "%ld", n);
  snprintf(text, sizeof text, "%.6f/%ld/%ld", energy / (double)n, p.entries, steps);
  free_matrix(&h), free_matrix(&p), free_matrix(&expected);
  return finish("purify", size_text, text, -1, seconds, ok);
}
