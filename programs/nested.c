/* Derivatives of a simulation in several directions at once, as codes with automatic differentiation have them: an outer
   region for the directions, and in each an inner one for the cells of a line, step by step. How many threads each level gets
   decides. As its author left it each level takes what OpenMP gives it (OMP_NUM_THREADS=8,1 says it from outside); --inner
   says it in the program. */
#include <math.h>
#include <omp.h>

#include "common.h"

static long directions = 8, cells = 2000, steps = 400, inner = 0, cutoff = 0;
static double **state, **before;

static void start_values(long d) {
  for (long i = 0; i < cells; i++) state[d][i] = sin(0.01 * (double)(i + 1) * (double)(d + 1));
}

static inline double advanced(const double *from, long i, long d) {
  double left = i ? from[i - 1] : from[0], right = i < cells - 1 ? from[i + 1] : from[cells - 1];
  double x = from[i] + 0.2 * (left - 2 * from[i] + right);
  return x + 1e-3 * sin(x * (double)(d + 1));
}

static void swap_states(long d) {
  double *swap = before[d];
  before[d] = state[d];
  state[d] = swap;
}

static void derive(long d) {
  if (inner) omp_set_num_threads((int)inner);
  for (long t = 0; t < steps; t++) {
    swap_states(d);
#pragma omp parallel for schedule(static)
    for (long i = 0; i < cells; i++) state[d][i] = advanced(before[d], i, d);
  }
}

static void run(void) {
#pragma omp parallel for schedule(dynamic)
  for (long d = 0; d < directions; d++) derive(d);
}

/* Some of the directions again, by one thread: the same, bit by bit. */
static int some_right(void) {
  int ok = 1;
  double *found = allocate((size_t)cells * sizeof *found);
  for (long d = 0; d < directions; d += 4) {
    memcpy(found, state[d], (size_t)cells * sizeof *found);
    start_values(d);
    for (long t = 0; t < steps; t++) {
      swap_states(d);
      for (long i = 0; i < cells; i++) state[d][i] = advanced(before[d], i, d);
    }
    ok &= memcmp(found, state[d], (size_t)cells * sizeof *found) == 0;
  }
  return ok;
}

static double sum_of_all(void) {
  double sum = 0;
  for (long d = 0; d < directions; d++)
    for (long i = 0; i < cells; i++) sum += state[d][i] * (double)(i % 13 + d);
  return sum;
}

int main(int argc, char **argv) {
  const Option options[] = {
      {"--size", kLong, "N", &cells, 3, 1e8, "cells of a line"},
      {"--directions", kLong, "N", &directions, 1, 1000, "derivatives"},
      {"--steps", kLong, "N", &steps, 1, 1e9, "time steps"},
      {"--inner", kLong, "N", &inner, 0, 4096, "threads for the cells of each direction; 0: as OpenMP says"},
      {"--cutoff", kLong, "N", &cutoff, 0, 1e9, "lines of N cells or fewer: no inner team"},
      {"--no-cutoff", kSwitch, "", &cutoff, 0, 0, "always"},
  };
  parse_options(argc, argv, "nested", "Derivatives in several directions, each by a team of its own.", options,
                OPTION_COUNT(options));
  omp_set_max_active_levels(2);
  state = allocate((size_t)directions * sizeof *state);
  before = allocate((size_t)directions * sizeof *before);
  for (long d = 0; d < directions; d++) {
    state[d] = allocate((size_t)cells * sizeof **state);
    before[d] = allocate((size_t)cells * sizeof **before);
    start_values(d);
  }
  if (cells <= cutoff) inner = 1;

  double start = begin_timed_part();
  run();
  double seconds = end_timed_part(start);

  double found = sum_of_all();
  int ok = some_right();

  char size_text[48], text[48];
  snprintf(size_text, sizeof size_text, "%ldx%ldx%ld", directions, cells, steps);
  snprintf(text, sizeof text, "%.9e", found);
  return finish("nested", size_text, text, -1, seconds, ok);
}
