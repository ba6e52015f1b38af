/* Heat in a plate: Jacobi iterations of the 5-point stencil, one work-sharing loop over the rows per step. The loop
   program of the collection: by default schedule(static), which gcc inlines, so that only shares are seen; with
   --schedule its iterations come from the runtime.

   With --placement the rows are divided into bands, with one task per band and step, which declares what it reads and
   writes. plain: one task touches the plates first. domains: each band's tasks run on one memory node of the machine,
   and the first of them touches the band first (Olivier 2012, 7.4). */
#include <math.h>

#include <ompx_locality.h>

#include "common.h"

enum { kStatic, kStaticChunk, kDynamic, kGuided, kRuntime };

enum { kOff, kPlain, kDomains };

static long placement = kOff, bands = 64;
static long size = 1024, steps = 200, schedule = kStatic, chunk = 8, cutoff = 0;

static inline double relax_row(const double *from, double *to, long i) {
  double largest = 0;
  const double *row = from + i * size, *above = row - size, *below = row + size;
  for (long j = 1; j < size - 1; j++) {
    double value = 0.25 * (above[j] + below[j] + row[j - 1] + row[j + 1]);
    double change = fabs(value - row[j]);
    largest = change > largest ? change : largest;
    to[i * size + j] = value;
  }
  return largest;
}

/* One step; returns the largest change of a point. Clauses are fixed at compile time: one loop per schedule. */
static double step(const double *from, double *to) {
  double largest = 0;
  long rows = size - 1;
  int parallel = rows > cutoff;
  switch (schedule) {
    case kStatic:
#pragma omp parallel for schedule(static) reduction(max : largest) if (parallel)
      for (long i = 1; i < rows; i++) largest = fmax(largest, relax_row(from, to, i));
      break;
    case kStaticChunk:
#pragma omp parallel for schedule(static, chunk) reduction(max : largest) if (parallel)
      for (long i = 1; i < rows; i++) largest = fmax(largest, relax_row(from, to, i));
      break;
    case kDynamic:
#pragma omp parallel for schedule(dynamic, chunk) reduction(max : largest) if (parallel)
      for (long i = 1; i < rows; i++) largest = fmax(largest, relax_row(from, to, i));
      break;
    case kGuided:
#pragma omp parallel for schedule(guided, chunk) reduction(max : largest) if (parallel)
      for (long i = 1; i < rows; i++) largest = fmax(largest, relax_row(from, to, i));
      break;
    default:
#pragma omp parallel for schedule(runtime) reduction(max : largest) if (parallel)
      for (long i = 1; i < rows; i++) largest = fmax(largest, relax_row(from, to, i));
  }
  return largest;
}

static double step_sequential(const double *from, double *to) {
  double largest = 0;
  for (long i = 1; i < size - 1; i++) largest = fmax(largest, relax_row(from, to, i));
  return largest;
}

/* Hot along the top edge, cold elsewhere. Touched first by the threads of a static schedule, as such codes do. */
static void start_plate(double *plate, int parallel) {
#pragma omp parallel for schedule(static) if (parallel)
  for (long i = 0; i < size; i++)
    for (long j = 0; j < size; j++) plate[i * size + j] = i == 0 ? 100.0 : 0.0;
}

static long band_begin(long band) { return band * size / bands; }

/* The next task works on that band. */
static void say_domain(long band) {
  if (placement == kDomains) ompx_next_task_affinity((int)(band * ompx_get_num_domains() / bands));
}

static size_t row_bytes(long rows) { return (size_t)(rows * size) * sizeof(double); }

static void start_band(double *plate, long band, long last) {
  for (long i = band_begin(band); i < band_begin(last); i++)
    for (long j = 0; j < size; j++) plate[i * size + j] = i == 0 ? 100.0 : 0.0;
}

/* First touch: one task per band on its domain, or one for all. */
static void start_bands(double *plate) {
  long step = placement == kDomains ? 1 : bands;
  for (long band = 0; band < bands; band += step) {
    count_tasks(1);
    say_domain(band);
    ompx_task_footprint(plate + band_begin(band) * size, row_bytes(band_begin(band + step) - band_begin(band)), OMPX_WRITE);
#pragma omp task firstprivate(band)
    start_band(plate, band, band + step);
  }
#pragma omp taskwait
}

static double step_bands(const double *from, double *to, double *largest) {
  for (long band = 0; band < bands; band++) {
    long first = band_begin(band), end = band_begin(band + 1);
    long above = first > 0 ? first - 1 : 0, below = end < size ? end + 1 : size;
    count_tasks(1);
    say_domain(band);
    ompx_task_footprint(from + above * size, row_bytes(below - above), OMPX_READ);
    ompx_task_footprint(to + first * size, row_bytes(end - first), OMPX_WRITE);
#pragma omp task firstprivate(band, first, end)
    {
      double most = 0;
      for (long i = first < 1 ? 1 : first; i < end && i < size - 1; i++) most = fmax(most, relax_row(from, to, i));
      largest[band] = most;
    }
  }
#pragma omp taskwait
  double most = 0;
  for (long band = 0; band < bands; band++) most = fmax(most, largest[band]);
  return most;
}

/* The whole run by tasks; returns the last step's largest change. */
static double run_bands(double **plates, double *seconds) {
  double change = 0, *largest = allocate((size_t)bands * sizeof(double));
  record_only(1);
#pragma omp parallel
  {
#pragma omp single
    {
      for (int k = 0; k < 2; k++) start_bands(plates[k]);
      double start = now_seconds();
      for (long t = 0; t < steps; t++) change = step_bands(plates[t & 1], plates[(t + 1) & 1], largest);
      *seconds = now_seconds() - start;
    }
    flush_task_count();
  }
  record_only(0);
  free(largest);
  return change;
}

int main(int argc, char **argv) {
  const Option options[] = {
      {"--size", kLong, "N", &size, 3, 100000, "rows and columns of the plate"},
      {"--steps", kLong, "N", &steps, 1, 1e9, "time steps"},
      {"--schedule", kChoice, "static|static-chunk|dynamic|guided|runtime", &schedule, 0, 0, ""},
      {"--chunk", kLong, "N", &chunk, 1, 100000, "rows per chunk, for static-chunk, dynamic and guided"},
      {"--cutoff", kLong, "N", &cutoff, 0, 1e9, "plates with N inner rows or fewer: no parallel region"},
      {"--no-cutoff", kSwitch, "", &cutoff, 0, 0, "always parallel"},
      {"--placement", kChoice, "off|plain|domains", &placement, 0, 0, "tasks that declare where they belong; off: loops"},
      {"--bands", kLong, "N", &bands, 1, 100000, "with --placement: bands of rows, a task each"},
  };
  parse_options(argc, argv, "heat", "Jacobi iterations on a square plate, one parallel loop per step.", options,
                OPTION_COUNT(options));
  size_t bytes = (size_t)(size * size) * sizeof(double);
  double *plates[4];
  for (int k = 0; k < 4; k++) {
    plates[k] = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096); /* a row of 512 points is a page */
    if (!plates[k]) plates[k] = allocate(bytes);
  }
  if (bands > size) bands = size;

  double change = 0, expected = 0, seconds = 0;
  if (placement == kOff) {
    for (int k = 0; k < 2; k++) start_plate(plates[k], 1);
    double start = begin_timed_part();
    for (long t = 0; t < steps; t++) change = step(plates[t & 1], plates[(t + 1) & 1]);
    seconds = end_timed_part(start);
  } else {
    change = run_bands(plates, &seconds);
  }

  /* A point depends only on the previous step, and the maximum on no order: the sequential run gives the same bits. */
  for (int k = 2; k < 4; k++) start_plate(plates[k], 0);
  for (long t = 0; t < steps; t++) expected = step_sequential(plates[2 + (t & 1)], plates[2 + ((t + 1) & 1)]);
  int ok = change == expected && memcmp(plates[steps & 1], plates[2 + (steps & 1)], bytes) == 0;

  char size_text[48], text[48];
  snprintf(size_text, sizeof size_text, "%ldx%ld", size, steps);
  snprintf(text, sizeof text, "%.12g", change);
  for (int k = 0; k < 4; k++) free(plates[k]);
  return finish("heat", size_text, text, placement == kOff ? -1 : tasks_made, seconds, ok);
}
