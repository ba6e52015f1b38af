#line 1 "handed.c"
/* Values that loops and sections hand on, and reductions of more than numbers. */
struct pair { int a, b; };
#pragma omp declare reduction(merge : struct pair : omp_out.a += omp_in.a, omp_out.b ^= omp_in.b) \
    initializer(omp_priv = {0, 0})
static int mine;
#pragma omp threadprivate(mine)

#define EK_WITHOUT_OMP_H
#include <einkorn/codelet.h>
static int handed_11_on(int n, int *last, int *x);
static int handed_13_on(int n, int (*counts)[4], int *k, struct pair *p);
static int handed_19_on(int *i, int n, int *x, int *last, int **part);
#line 8 "handed.c"
int handed(int n, int *x, int part[8]) {
  int last = 0, k = 1, i, counts[4] = {0};
  struct pair p = {0, 0};
if (handed_11_on(n, &last, x)) ; else
#line 11 "handed.c"
#pragma omp parallel for schedule(dynamic) lastprivate(last)
  for (i = 0; i < n; i++) last = x[i];
if (handed_13_on(n, &counts, &k, &p)) ; else
#line 13 "handed.c"
#pragma omp parallel for linear(k : 2) reduction(+ : counts) reduction(merge : p)
  for (int j = n; j > 0; j--) {
    counts[j % 4] += k;
    p.a++;
    k += 2;
  }
if (handed_19_on(&i, n, x, &last, &part)) ; else
#line 19 "handed.c"
#pragma omp parallel copyin(mine) proc_bind(spread)
  {
#pragma omp for simd
    for (i = 0; i < n; i++) x[i] += mine;
#pragma omp sections lastprivate(last)
    {
#pragma omp section
      last = 1;
#pragma omp section
      last = 2;
    }
#pragma omp for ordered reduction(+ : part[2 : n])
    for (int j = 2; j < n + 2; j++) {
#pragma omp ordered
      part[j] += j;
    }
  }
  return last + i + k + p.a + counts[0];
}
EK_GENERATED_BEGIN
/* codelets of handed(), line 11 */
#line 11 "handed.c"
struct handed_11 {
  int n;
  int *last;
  int *x;
};
#line 11 "handed.c"
static ek_next EK_ALIGNED handed_11_run(ek_self *me) {
  struct handed_11 *const F = (struct handed_11 *)me->frame;
  const int n = F->n;
  int *const x = F->x;
  int last;
  int i;
#line 12 "handed.c"
  
#pragma omp for nowait schedule(dynamic)
#line 12
for (i = 0; i < n; i++) { do { last = x[i]; } while (0); if ((uint64_t)n - (uint64_t)i <= (uint64_t)1) { *F->last = last; } }
  return EK_END;
}
static const ek_cbb handed_11_cbbs[] = {{11, 1, 0}};
static const ek_proc handed_11 = {.name = "handed_11", .file = "handed.c", .run = handed_11_run, .frame_bytes = sizeof(struct handed_11),
  .cbbs = handed_11_cbbs, .count = 1, .flags = EK_FREE};
static int handed_11_on(int n, int *last, int *x) {
  if (!ek_on_for_region()) return 0;
  struct handed_11 F = {.n = n, .last = last, .x = x};
  ek_run(&handed_11, &F, 0);
  return 1;
}

/* codelets of handed(), line 13 */
#line 13 "handed.c"
struct handed_13 {
  int n;
  int (*counts)[4];
  int *k;
  struct pair *p;
};
#line 13 "handed.c"
static ek_next EK_ALIGNED handed_13_run(ek_self *me) {
  struct handed_13 *const F = (struct handed_13 *)me->frame;
  const int n = F->n;
  int k;
  int *const ek_whole_counts = (int *)&(*F->counts); int counts[4]; for (size_t ek_k = 0; ek_k < sizeof counts / sizeof *ek_whole_counts; ek_k++) ((int *)counts)[ek_k] = 0; 
  struct pair *const ek_whole_p = &(*F->p); struct pair p = {0, 0}; 
#line 14 "handed.c"
  k = *F->k; int const ek_begin_k = k; 
#pragma omp barrier
#line 14
int64_t from, to, count = (int64_t)((int)n > 0 ? (uint64_t)(int)n - (uint64_t)0 : 0); if (ek_static(me, 0, count, &from, &to)) { for (int j = (uint64_t)(int)n - from; from < to; from++, j--) { k = (int)(ek_begin_k + (int64_t)(((uint64_t)n - (uint64_t)j)) * (2)); {
    counts[j % 4] += k;
    p.a++;
    k += 2;
  } } if (to == count) { *F->k = k; } }
#pragma omp critical (ek_reduction)
  { for (size_t ek_k = 0; ek_k < sizeof counts / sizeof *ek_whole_counts; ek_k++) ek_whole_counts[ek_k] += ((int *)counts)[ek_k]; }
#pragma omp critical (ek_reduction)
  { { (*ek_whole_p).a += p.a, (*ek_whole_p).b ^= p.b; } }
  return EK_END;
}
static const ek_cbb handed_13_cbbs[] = {{13, 1, 0}};
static const ek_proc handed_13 = {.name = "handed_13", .file = "handed.c", .run = handed_13_run, .frame_bytes = sizeof(struct handed_13),
  .cbbs = handed_13_cbbs, .count = 1, .flags = EK_PINNED};
static int handed_13_on(int n, int (*counts)[4], int *k, struct pair *p) {
  if (!ek_on_for_region()) return 0;
  struct handed_13 F = {.n = n, .counts = counts, .k = k, .p = p};
  ek_run(&handed_13, &F, 0);
  return 1;
}

/* codelets of handed(), line 19 */
#line 19 "handed.c"
struct handed_19 {
  int *i;
  int n;
  int *x;
  int *last;
  int **part;
  int mine;
};
#line 19 "handed.c"
static ek_next EK_ALIGNED handed_19_run(ek_self *me) {
  struct handed_19 *const F = (struct handed_19 *)me->frame;
  const int n = F->n;
  int *const x = F->x;
  switch (me->at) { case 1: goto c1; case 2: goto c2; }
  mine = F->mine;
#line 20 "handed.c"
  {
{ { int i; 
    int64_t from, to; if (ek_static(me, 0, n, &from, &to)) { 
#pragma omp simd
#line 22
for (i = from; i < (int)to; i++) x[i] += mine; if (to == n) { *F->i = i; } } } EK_YIELD(me, 1, EK_SYNC); c1:; }
{ { int last; 
    
#pragma omp sections nowait
#line 24
{
#pragma omp section
      last = 1;
#pragma omp section
      { last = 2; *F->last = last; }
    } } EK_YIELD(me, 2, EK_SYNC); c2:; }
{ const size_t ek_part_part_n = (size_t)(n); int *const ek_whole_part = (int *)(*F->part) + (2); int ek_part_part[ek_part_part_n]; int *part = (int *)((uintptr_t)ek_part_part - (size_t)(2) * sizeof *ek_part_part); for (size_t ek_k = 0; ek_k < ek_part_part_n; ek_k++) ek_part_part[ek_k] = 0; 
    
#pragma omp for nowait ordered
#line 31
for (int j = 2; j < n + 2; j++) {
#pragma omp ordered
      part[j] += j;
    }
#pragma omp critical (ek_reduction)
{ for (size_t ek_k = 0; ek_k < ek_part_part_n; ek_k++) ek_whole_part[ek_k] += ek_part_part[ek_k]; }
#line 34
 }
  }
  return EK_END;
}
static const ek_cbb handed_19_cbbs[] = {{19, 1, 0}, {22, 1, 0}, {29, 1, 0}};
static const ek_proc handed_19 = {.name = "handed_19", .file = "handed.c", .run = handed_19_run, .frame_bytes = sizeof(struct handed_19),
  .cbbs = handed_19_cbbs, .count = 3, .flags = EK_PINNED};
static int handed_19_on(int *i, int n, int *x, int *last, int **part) {
  if (!(ek_on_for_region() && omp_get_proc_bind() == omp_proc_bind_false)) return 0;
  struct handed_19 F = {.i = i, .n = n, .x = x, .last = last, .part = part, .mine = mine};
  ek_run(&handed_19, &F, 0);
  return 1;
}
EK_GENERATED_END
#line 37 "handed.c"

