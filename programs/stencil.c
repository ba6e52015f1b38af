/* A stencil of tiny tasks from one producer: each step makes a task a cell, which mixes the cell's value with its two
   neighbours' of the step before. The cells form a ring. With depend a cell waits for those three only, and steps overlap;
   with task a taskwait ends each step. --work lets each task do more. The pattern is one of Task Bench's (Slaughter et al.,
   SC'20), which measures how small tasks may be before a runtime costs more than they do. */
#include "common.h"

enum { kDepend, kTask };

static long cells = 256, steps = 400, work = 0, version = kDepend, cutoff = 0;
static uint64_t *value[2]; /* step t reads value[t & 1] and writes the other */

static inline uint64_t mixed(uint64_t left, uint64_t own, uint64_t right) {
  uint64_t x = own + 3 * left + 5 * right;
  for (long i = 0; i < work; i++) x = x * 0x2545F4914F6CDD1DULL + 0x9E3779B97F4A7C15ULL;
  return x ^ x >> 29;
}

static inline long left_of(long i) { return i ? i - 1 : cells - 1; }
static inline long right_of(long i) { return i + 1 < cells ? i + 1 : 0; }

static inline void mix(long i, long t) {
  const uint64_t *from = value[t & 1];
  value[(t + 1) & 1][i] = mixed(from[left_of(i)], from[i], from[right_of(i)]);
}

static void run_sequential(void) {
  for (long t = 0; t < steps; t++)
    for (long i = 0; i < cells; i++) mix(i, t);
}

static void run_tasks(void) {
  for (long t = 0; t < steps; t++) {
    for (long i = 0; i < cells; i++) {
      count_tasks(1);
#pragma omp task firstprivate(i, t)
      mix(i, t);
    }
#pragma omp taskwait
  }
}

/* What a task overwrites is read in the step before by those that wrote what it reads: no more has to be said. */
static void run_depend(void) {
  for (long t = 0; t < steps; t++) {
    uint64_t *from = value[t & 1], *to = value[(t + 1) & 1];
    for (long i = 0; i < cells; i++) {
      uint64_t *left = from + left_of(i), *own = from + i, *right = from + right_of(i), *out = to + i;
      (void)left, (void)own, (void)right, (void)out; /* clang 19 does not see that a depend clause uses them */
      count_tasks(1);
#pragma omp task firstprivate(i, t) depend(in : left[0], own[0], right[0]) depend(out : out[0])
      mix(i, t);
    }
  }
#pragma omp taskwait
}

static void start_values(void) {
  for (long i = 0; i < cells; i++) value[0][i] = random_seed((uint64_t)i + 1);
}

int main(int argc, char **argv) {
  const Option options[] = {
      {"--size", kLong, "N", &cells, 3, 1e8, "cells"},
      {"--steps", kLong, "N", &steps, 1, 1e9, "steps"},
      {"--work", kLong, "N", &work, 0, 1e9, "multiplications a task, besides: 1 to 2 ns each"},
      {"--version", kChoice, "depend|task", &version, 0, 0, ""},
      {"--cutoff", kLong, "N", &cutoff, 0, 1e8, "N cells or fewer: nothing parallel"},
      {"--no-cutoff", kSwitch, "", &cutoff, 0, 0, "always parallel"},
  };
  parse_options(argc, argv, "stencil", "A ring of cells, a tiny task for each of them a step, all made by one thread.", options,
                OPTION_COUNT(options));
  size_t bytes = (size_t)cells * sizeof(uint64_t);
  for (int k = 0; k < 2; k++) value[k] = allocate(bytes);

  start_values();
  double start = begin_timed_part();
  if (cells <= cutoff) {
    run_sequential();
  } else {
#pragma omp parallel
    {
#pragma omp single
      {
        if (version == kDepend) run_depend();
        else run_tasks();
      }
      flush_task_count();
    }
  }
  double seconds = end_timed_part(start);

  uint64_t *found = allocate(bytes), sum = 0;
  memcpy(found, value[steps & 1], bytes);
  start_values();
  run_sequential();
  int ok = memcmp(found, value[steps & 1], bytes) == 0;
  if (cells > cutoff) ok &= tasks_made == cells * steps;
  for (long i = 0; i < cells; i++) sum ^= found[i] * (uint64_t)(2 * i + 1);
  char size_text[64], text[32];
  snprintf(size_text, sizeof size_text, "%ldx%ld", cells, steps);
  snprintf(text, sizeof text, "%016llx", (unsigned long long)sum);
  return finish("stencil", size_text, text, tasks_made, seconds, ok);
}
