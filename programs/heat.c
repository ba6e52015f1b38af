/* Heat in a plate: Jacobi iterations of the 5-point stencil, one worksharing loop over the rows a step. The loop
   program of the collection: by default schedule(static), which gcc expands inline, so that only shares are seen;
   with --schedule its iterations come from the runtime. */
#include <math.h>

#include "common.h"

enum { kStatic, kStaticChunk, kDynamic, kGuided, kRuntime };

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

/* One step; returns the largest change of a point. A clause cannot be chosen at run time, hence a loop a schedule. */
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

int main(int argc, char **argv) {
  const Option options[] = {
      {"--size", kLong, "N", &size, 3, 100000, "rows and columns of the plate"},
      {"--steps", kLong, "N", &steps, 1, 1e9, "time steps"},
      {"--schedule", kChoice, "static|static-chunk|dynamic|guided|runtime", &schedule, 0, 0, ""},
      {"--chunk", kLong, "N", &chunk, 1, 100000, "rows a chunk, for static-chunk, dynamic and guided"},
      {"--cutoff", kLong, "N", &cutoff, 0, 1e9, "plates with N inner rows or fewer: no parallel region"},
      {"--no-cutoff", kSwitch, "", &cutoff, 0, 0, "always parallel"},
  };
  parse_options(argc, argv, "heat", "Jacobi iterations on a square plate, a parallel loop a step.", options,
                OPTION_COUNT(options));
  size_t bytes = (size_t)(size * size) * sizeof(double);
  double *plates[4];
  for (int k = 0; k < 4; k++) plates[k] = allocate(bytes);

  for (int k = 0; k < 2; k++) start_plate(plates[k], 1);
  double change = 0, expected = 0;
  double start = now_seconds();
  for (long t = 0; t < steps; t++) change = step(plates[t & 1], plates[(t + 1) & 1]);
  double seconds = now_seconds() - start;

  /* A point depends on the step before only and the maximum on no order: the sequential run gives the same bits. */
  for (int k = 2; k < 4; k++) start_plate(plates[k], 0);
  for (long t = 0; t < steps; t++) expected = step_sequential(plates[2 + (t & 1)], plates[2 + ((t + 1) & 1)]);
  int ok = change == expected && memcmp(plates[steps & 1], plates[2 + (steps & 1)], bytes) == 0;

  char size_text[48], text[48];
  snprintf(size_text, sizeof size_text, "%ldx%ld", size, steps);
  snprintf(text, sizeof text, "%.12g", change);
  for (int k = 0; k < 4; k++) free(plates[k]);
  return finish("heat", size_text, text, -1, seconds, ok);
}
