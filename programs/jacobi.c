/* Jacobi iterations for Poisson's equation on a square, cut into blocks: one task per block and step. With depend, a
   block waits only for its own neighbours, and steps overlap; with task, a taskwait ends each step; with loop, a
   work-sharing loop over the blocks. (heat has the loop over rows.) The three forms are those of the KASTORS suite. With
   taskgraph, the tasks of depend are taken down for two steps, and replayed (a library without taskgraphs creates them). */
#include <einkorn/taskgraph.h>

#include "common.h"

enum { kDepend, kTask, kLoop, kGraph };

static long blocks = 16, width = 64, steps = 100, version = kDepend, cutoff = 0;
static long row;       /* points of a row, the border's two included */
static double *grid[2]; /* step t reads grid[t & 1] and writes the other */
static double *charge;  /* the right-hand side, times the square of the distance of two points */

static void relax(long bi, long bj, long t) {
  const double *from = grid[t & 1];
  double *to = grid[(t + 1) & 1];
  for (long i = bi * width + 1; i <= (bi + 1) * width; i++)
    for (long j = bj * width + 1; j <= (bj + 1) * width; j++) {
      long at = i * row + j;
      to[at] = 0.25 * (from[at - 1] + from[at + 1] + from[at - row] + from[at + row] + charge[at]);
    }
}

static void run_sequential(void) {
  for (long t = 0; t < steps; t++)
    for (long bi = 0; bi < blocks; bi++)
      for (long bj = 0; bj < blocks; bj++) relax(bi, bj, t);
}

static void run_tasks(void) {
  for (long t = 0; t < steps; t++) {
    for (long bi = 0; bi < blocks; bi++)
      for (long bj = 0; bj < blocks; bj++) {
        count_tasks(1);
#pragma omp task firstprivate(bi, bj, t)
        relax(bi, bj, t);
      }
#pragma omp taskwait
  }
}

/* A block of a step needs five blocks of the previous step, and must not overwrite what that step still reads: the same
   five. So one byte per block and copy of the grid expresses both. */
static void create_depend(char *bytes, long first, long last) {
  long line = blocks + 2; /* with a frame of bytes that nobody writes */
  for (long t = first; t < last; t++) {
    char *from = bytes + (t & 1) * line * line, *to = bytes + ((t + 1) & 1) * line * line;
    for (long bi = 0; bi < blocks; bi++)
      for (long bj = 0; bj < blocks; bj++) {
        char *in = from + (bi + 1) * line + bj + 1, *out = to + (bi + 1) * line + bj + 1;
        (void)in, (void)out; /* clang 19 does not see that a depend clause uses them */
        count_tasks(1);
#pragma omp task firstprivate(bi, bj, t) depend(in : in[0], in[-1], in[1], in[-line], in[line]) depend(out : out[0])
        relax(bi, bj, t);
      }
  }
}

static void run_depend(void) {
  char *bytes = allocate((size_t)(2 * (blocks + 2) * (blocks + 2)));
  if (version == kDepend) {
    create_depend(bytes, 0, steps);
  } else {
    /* Of a step its tasks only need whether it is even. */
    ompx_taskgraph two = OMPX_TASKGRAPH_NAMED("two steps");
    for (long t = 0; t < steps; t += 2) {
      long last = t + 2 < steps ? t + 2 : steps;
      OMPX_TASKGRAPH(&two, last - t, 0) create_depend(bytes, t, last);
    }
    ompx_taskgraph_free(&two);
  }
#pragma omp taskwait
  free(bytes);
}

static void run_loops(void) {
#pragma omp parallel
  for (long t = 0; t < steps; t++) {
#pragma omp for collapse(2) schedule(static)
    for (long bi = 0; bi < blocks; bi++)
      for (long bj = 0; bj < blocks; bj++) relax(bi, bj, t);
  }
}

static void start_grids(void) {
  for (int k = 0; k < 2; k++)
    for (long at = 0; at < row * row; at++) grid[k][at] = 0;
}

int main(int argc, char **argv) {
  const Option options[] = {
      {"--size", kLong, "N", &blocks, 1, 10000, "blocks per side"},
      {"--block", kLong, "N", &width, 1, 10000, "points per side of a block"},
      {"--steps", kLong, "N", &steps, 1, 1e9, "iterations"},
      {"--version", kChoice, "depend|task|loop|taskgraph", &version, 0, 0, ""},
      {"--cutoff", kLong, "N", &cutoff, 0, 10000, "N blocks per side or fewer: nothing parallel"},
      {"--no-cutoff", kSwitch, "", &cutoff, 0, 0, "always parallel"},
  };
  parse_options(argc, argv, "jacobi", "Jacobi iterations over blocks of a grid.", options, OPTION_COUNT(options));
  row = blocks * width + 2;
  size_t bytes = (size_t)(row * row) * sizeof(double);
  for (int k = 0; k < 2; k++) grid[k] = allocate(bytes);
  charge = allocate(bytes);
  uint64_t state = random_seed(1);
  for (long at = 0; at < row * row; at++) charge[at] = (2 * random_unit(&state) - 1) / (double)(row * row);

  start_grids();
  double start = begin_timed_part();
  if (blocks <= cutoff) {
    run_sequential();
  } else if (version == kLoop) {
    run_loops();
  } else {
#pragma omp parallel
    {
#pragma omp single
      {
        if (version == kTask) run_tasks();
        else run_depend();
      }
      flush_task_count();
    }
  }
  double seconds = end_timed_part(start);

  /* A point depends only on the previous step: the sequential run gives the same bits. */
  double *found = allocate(bytes);
  memcpy(found, grid[steps & 1], bytes);
  start_grids();
  run_sequential();
  int ok = memcmp(found, grid[steps & 1], bytes) == 0;
  if (blocks > cutoff && (version == kDepend || version == kTask)) ok &= tasks_made == blocks * blocks * steps;
  double norm = 0;
  for (long at = 0; at < row * row; at++) norm += found[at] * found[at];
  char size_text[64], text[48];
  snprintf(size_text, sizeof size_text, "%ldx%ldx%ld", blocks, width, steps);
  snprintf(text, sizeof text, "%.12g", norm);
  return finish("jacobi", size_text, text, version == kLoop || version == kGraph ? -1 : tasks_made, seconds, ok);
}
