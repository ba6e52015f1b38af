#line 1 "sync.c"
/* Sync points in loops and branches; what lives over them. */
#define EK_WITHOUT_OMP_H
#include <einkorn/codelet.h>
static int frontier_4_on(int n, int *k1, int *k2, int level, long *out, int ek_threads);
#line 2 "sync.c"
void frontier(int *k1, int *k2, int n, long *out) {
  int level = 0;
if (frontier_4_on(n, k1, k2, level, out, (n > 1) ? n > 4 ? 4 : n : 1)) ; else
#line 4 "sync.c"
#pragma omp parallel firstprivate(level) num_threads(n > 4 ? 4 : n) if (n > 1)
  {
    const int mine = n + 1;
    int buffer[4] = {0}, *cursor = k1;
    while (*k1 != *k2) {
      int found = *k1;
#pragma omp barrier
      found += mine + level++;
#pragma omp single
      *k1 = *k2;
      if (found > 3) {
#pragma omp for nowait
        for (int i = 0; i < found; i++) out[i] = *cursor;
#pragma omp barrier
#pragma omp master
        *out += found;
      }
    }
  }
}
EK_GENERATED_BEGIN
/* codelets of frontier(), line 4 */
#line 4 "sync.c"
struct frontier_4 {
  int n;
  int *k1;
  int *k2;
  int level;
  long *out;
};
struct frontier_4_own {
  int level;
  int *cursor;
  int found;
  int mine;
};
#line 4 "sync.c"
static ek_next EK_ALIGNED frontier_4_run(ek_self *me) {
  struct frontier_4 *const F = (struct frontier_4 *)me->frame;
  struct frontier_4_own *const I = (struct frontier_4_own *)me->own;
  int *const k1 = F->k1;
  int *const k2 = F->k2;
  const int n = F->n;
  long *const out = F->out;
  int level = F->level;
  switch (me->at) { case 1: goto c1; case 2: goto c2; case 3: goto c3; }
#line 5 "sync.c"
  {
    I->mine = n + 1;
    int buffer[4] = {0}, *cursor = k1;
    while (*k1 != *k2) {
      int found = *k1;
I->level = level, I->cursor = cursor, I->found = found; EK_YIELD(me, 1, EK_SYNC); c1: level = I->level, cursor = I->cursor, found = I->found;
      found += I->mine + level++;
{ if (ek_single(me))
      *k1 = *k2; I->level = level, I->cursor = cursor, I->found = found; EK_YIELD(me, 2, EK_SYNC); c2: level = I->level, cursor = I->cursor, found = I->found; }
      if (found > 3) {
{ int64_t from, to; if (ek_static(me, 0, found, &from, &to)) 
        for (int i = from; i < (int)to; i++) out[i] = *cursor; }
I->level = level, I->cursor = cursor, I->found = found; EK_YIELD(me, 3, EK_SYNC); c3: level = I->level, cursor = I->cursor, found = I->found;
if (me->id == 0)
        *out += found;
      }
    }
  }
  return EK_END;
}
static const ek_cbb frontier_4_cbbs[] = {{4, 1, 0}, {10, 1, 0}, {13, 1, 0}, {17, 1, 0}};
static const ek_proc frontier_4 = {.name = "frontier_4", .file = "sync.c", .run = frontier_4_run, .frame_bytes = sizeof(struct frontier_4), .own_bytes = sizeof(struct frontier_4_own),
  .cbbs = frontier_4_cbbs, .count = 4, .flags = EK_FREE};
static int frontier_4_on(int n, int *k1, int *k2, int level, long *out, int ek_threads) {
  if (!ek_on_for_region()) return 0;
  struct frontier_4 F = {.n = n, .k1 = k1, .k2 = k2, .level = level, .out = out};
  ek_run(&frontier_4, &F, ek_threads);
  return 1;
}
EK_GENERATED_END
#line 23 "sync.c"


/* A loop is the whole region: its last directive is not the region's end. */
static int rounds_27_on(int n, long *out);
#line 26 "sync.c"
void rounds(int n, long *out) {
if (rounds_27_on(n, out)) ; else
#line 27 "sync.c"
#pragma omp parallel
  for (int t = 0; t < n; t++) {
#pragma omp for collapse(2)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) out[i * n + j] += t;
  }
}
EK_GENERATED_BEGIN
/* codelets of rounds(), line 27 */
#line 27 "sync.c"
struct rounds_27 {
  int n;
  long *out;
};
struct rounds_27_own {
  int t;
};
#line 27 "sync.c"
static ek_next EK_ALIGNED rounds_27_run(ek_self *me) {
  struct rounds_27 *const F = (struct rounds_27 *)me->frame;
  struct rounds_27_own *const I = (struct rounds_27_own *)me->own;
  const int n = F->n;
  long *const out = F->out;
  switch (me->at) { case 1: goto c1; }
#line 28 "sync.c"
  for (int t = 0; t < n; t++) {
{ 
    
#pragma omp for nowait collapse(2)
#line 30
for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) out[i * n + j] += t; I->t = t; EK_YIELD(me, 1, EK_SYNC); c1: t = I->t; }
  }
  return EK_END;
}
static const ek_cbb rounds_27_cbbs[] = {{27, 1, 0}, {31, 1, 0}};
static const ek_proc rounds_27 = {.name = "rounds_27", .file = "sync.c", .run = rounds_27_run, .frame_bytes = sizeof(struct rounds_27), .own_bytes = sizeof(struct rounds_27_own),
  .cbbs = rounds_27_cbbs, .count = 2, .flags = EK_FREE};
static int rounds_27_on(int n, long *out) {
  if (!ek_on_for_region()) return 0;
  struct rounds_27 F = {.n = n, .out = out};
  ek_run(&rounds_27, &F, 0);
  return 1;
}
EK_GENERATED_END
#line 33 "sync.c"

