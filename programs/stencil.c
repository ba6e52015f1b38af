/* A stencil of tiny tasks from one producer: each step creates one task per cell, which mixes the cell's value with its
   two neighbours' from the previous step. The cells form a ring. With depend a cell waits only for those three, and
   steps overlap; with task a taskwait ends each step, with loop a barrier; with codelet each thread has a part of the ring and waits
   for the two beside it alone (a library without codelets: the loop). --work makes each task longer. The pattern is one of Task Bench's
   (Slaughter et al., SC'20), which measures how small tasks may be before a runtime costs more than they do. */
#include <einkorn/codelet.h>
#include <omp.h>

#include "common.h"

enum { kDepend, kTask, kLoop, kCodelet };

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

/* What a task overwrites was read in the previous step by the very tasks that wrote what it reads: no more is needed. */
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

static void run_loops(void) {
#pragma omp parallel
  for (long t = 0; t < steps; t++) {
#pragma omp for schedule(static)
    for (long i = 0; i < cells; i++) mix(i, t);
  }
}

/* The cells at the two ends first: then those beside it may go on. They may overwrite what this part read there. */
struct part {
  int64_t from, to;
  long t;
};

static ek_next run_part(ek_self *me) {
  struct part *p = me->own;
  switch (me->at) { case 1: goto both_came; }
  ek_static(me, 0, cells, &p->from, &p->to);
  for (p->t = 0; p->t < steps; p->t++) {
    const long from = p->from, last = p->to - 1, t = p->t;
    mix(from, t);
    if (last != from) mix(last, t);
    ek_post(me);
    for (long i = from + 1; i < last; i++) mix(i, t);
    EK_YIELD(me, 1, EK_NEAR);
  both_came:;
  }
  return EK_END;
}
static const ek_proc part_procedure = {.name = "part of the ring", .file = __FILE__, .run = run_part,
                                       .own_bytes = sizeof(struct part), .flags = EK_RING};

static void run_codelets(void) {
  int threads = omp_get_max_threads();
  ek_run(&part_procedure, NULL, threads < cells ? threads : (int)cells);
}

static void start_values(void) {
  for (long i = 0; i < cells; i++) value[0][i] = random_seed((uint64_t)i + 1);
}

int main(int argc, char **argv) {
  const Option options[] = {
      {"--size", kLong, "N", &cells, 3, 1e8, "cells"},
      {"--steps", kLong, "N", &steps, 1, 1e9, "steps"},
      {"--work", kLong, "N", &work, 0, 1e9, "additional multiplications per task: 1 to 2 ns each"},
      {"--version", kChoice, "depend|task|loop|codelet", &version, 0, 0, ""},
      {"--cutoff", kLong, "N", &cutoff, 0, 1e8, "N cells or fewer: nothing parallel"},
      {"--no-cutoff", kSwitch, "", &cutoff, 0, 0, "always parallel"},
  };
  parse_options(argc, argv, "stencil", "A ring of cells, one tiny task per cell and step, all created by one thread.", options,
                OPTION_COUNT(options));
  size_t bytes = (size_t)cells * sizeof(uint64_t);
  for (int k = 0; k < 2; k++) value[k] = allocate(bytes);

  start_values();
  double start = begin_timed_part();
  if (cells <= cutoff) {
    run_sequential();
  } else if (version == kCodelet && ek_on()) {
    run_codelets();
  } else if (version >= kLoop) {
    run_loops();
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
  if (cells > cutoff && version < kLoop) ok &= tasks_made == cells * steps;
  for (long i = 0; i < cells; i++) sum ^= found[i] * (uint64_t)(2 * i + 1);
  char size_text[64], text[32];
  snprintf(size_text, sizeof size_text, "%ldx%ld", cells, steps);
  snprintf(text, sizeof text, "%016llx", (unsigned long long)sum);
  return finish("stencil", size_text, text, version < kLoop ? tasks_made : -1, seconds, ok);
}
