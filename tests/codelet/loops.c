/* Parallel loops by hand (ek_run_loop()): each form covers the range once, whatever the sizes; instances have consecutive
 * numbers and memory of their own; loops are nested, inside of regions, and begun by several threads at a time. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <einkorn/codelet.h>

#define CHECK(what) \
  do { if (!(what)) { printf("line %d: %s does not hold\n", __LINE__, #what); exit(1); } } while (0)

enum { MOST = 3000 };

struct mark {
  int *seen;     /* how often each iteration ran */
  int *by;       /* and in which codelet */
  int64_t begin, end;
  int *codelets; /* of the loop, as codelet 0 sees it */
  char more[100]; /* larger than what lies in a block with the instance */
};
static ek_next mark_run(ek_self *me) {
  struct mark *F = (struct mark *)me->frame;
  int64_t from, to;
  char *own = (char *)me->own;
  memset(own, (int)me->id, 300);
  if (me->id == 0) *F->codelets = (int)me->n;
  if (ek_static(me, F->begin, F->end, &from, &to))
    for (; from < to; from++) {
      __atomic_fetch_add(&F->seen[from], 1, __ATOMIC_RELAXED);
      F->by[from] = (int)me->id;
    }
  for (int i = 0; i < 300; i++) CHECK(own[i] == (char)me->id);
  return EK_END;
}
static const ek_proc each = {.name = "each", .file = "loops.c", .run = mark_run, .frame_bytes = sizeof(struct mark), .own_bytes = 300,
                             .count = 1, .flags = EK_FREE | EK_LOOP};
static const ek_proc whole = {.name = "whole", .file = "loops.c", .run = mark_run, .frame_bytes = sizeof(struct mark), .own_bytes = 300,
                              .count = 1, .flags = EK_FREE | EK_LOOP | EK_WHOLE};

static void one_loop(const ek_proc *p, int64_t begin, int64_t end, ek_loop *loop, int *seen, int *by) {
  int codelets = -1;
  struct mark F = {seen, by, begin, end, &codelets, {0}};
  memset(seen, 0, MOST * sizeof *seen);
  CHECK(ek_run_loop(p, &F, 0, end - begin, loop) == 0);
  CHECK(codelets >= 1 && codelets <= ek_most_codelets(omp_get_max_threads()));
  for (int i = 0; i < MOST; i++) CHECK(seen[i] == (i >= begin && i < end));
  for (int64_t i = begin + 1; i < end; i++) CHECK(by[i] >= by[i - 1] && by[i] < codelets);
}

static void loops(int rounds) {
  static const int sizes[] = {0, 1, 2, 3, 7, 16, 100, 1001, MOST};
  ek_loop known[2] = {{0}, {0}};
  int *seen = (int *)malloc(MOST * sizeof *seen), *by = (int *)malloc(MOST * sizeof *by);
  for (int r = 0; r < rounds; r++)
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
      for (int k = 0; k < 2; k++) {
        const int64_t begin = r % 5 < sizes[i] ? r % 5 : 0;
        one_loop(k == 0 ? &each : &whole, begin, sizes[i], &known[k], seen, by);
      }
  free(seen), free(by);
}

/* The same loop by several threads, inside of a region and of tasks. */
static ek_loop shared;
static void by_many(int threads) {
  #pragma omp parallel num_threads(threads)
  {
    int *seen = (int *)malloc(MOST * sizeof *seen), *by = (int *)malloc(MOST * sizeof *by);
    for (int r = 0; r < 20; r++) one_loop(&each, 0, r * 30, &shared, seen, by);
    free(seen), free(by);
    #pragma omp for
    for (int i = 0; i < 8; i++)
    #pragma omp task
    {
      int *s = (int *)malloc(MOST * sizeof *s), *b = (int *)malloc(MOST * sizeof *b);
      one_loop(&whole, 1, 500, &shared, s, b);
      free(s), free(b);
    }
  }
}

int main(int argc, char **argv) {
  const int rounds = argc > 2 ? atoi(argv[2]) / 5 + 1 : 40;
  if (!ek_on()) {
    CHECK(ek_run_loop(&each, "", 0, 1, &shared) != 0);
    CHECK(ek_most_codelets(7) == 7);
    puts("another runtime");
    return 0;
  }
  loops(rounds);
  by_many(4);
  omp_set_max_active_levels(2);
  by_many(2);
  puts("ok");
}
