#line 1 "scans.c"
/* What loops hand on that is not their last iteration's alone. */
#define EK_WITHOUT_OMP_H
#include <einkorn/codelet.h>
static int scans_4_on(int n, int *s, const int *x, int *sums);
static int scans_10_on(int *s, int *found, int n, int *before, const int *x);
#line 2 "scans.c"
int scans(int n, const int *x, int *sums, int *before) {
  int s = 0, found = -1, all[2] = {0};
if (scans_4_on(n, &s, x, sums)) ; else
#line 4 "scans.c"
#pragma omp parallel for reduction(inscan, + : s)
  for (int i = 0; i < n; i++) {
    s += x[i];
#pragma omp scan inclusive(s)
    sums[i] = s;
  }
if (scans_10_on(&s, &found, n, before, x)) ; else
#line 10 "scans.c"
#pragma omp parallel
  {
#pragma omp for reduction(inscan, max : s) lastprivate(conditional : found)
    for (int i = n - 1; i >= 0; i -= 2) {
      before[i] = s;
#pragma omp scan exclusive(s)
      if (x[i] > s) found = i, s = x[i];
    }
#pragma omp for collapse(2) schedule(nonmonotonic : dynamic, 4) lastprivate(conditional : found)
    for (int i = 0; i < n; i++)
      for (int j = 1; j < n; j++)
        if (x[i] == x[j]) found = i;
  }
  /* Those stay. */
#pragma omp parallel for reduction(inscan, + : all)
  for (int i = 0; i < n; i++) {
    all[i % 2] += x[i];
#pragma omp scan inclusive(all)
    sums[i] = all[0];
  }
#pragma omp parallel
#pragma omp for lastprivate(conditional : found) nowait
  for (int i = 0; i < n; i++)
    if (x[i]) found = i;
#pragma omp parallel for reduction(inscan, + : s) lastprivate(found)
  for (int i = 0; i < n; i++) {
    {
      found = i;
      s += x[i];
    }
#pragma omp scan inclusive(s)
    if (s > 7) found = -i;
  }
  return s + found;
}
EK_GENERATED_BEGIN
/* codelets of scans(), line 4 */
#line 4 "scans.c"
struct scans_4 {
  int n;
  int *s;
  const int *x;
  int *sums;
  int *ek_each_s_0;
};
#line 4 "scans.c"
static ek_next EK_ALIGNED scans_4_run(ek_self *me) {
  struct scans_4 *const F = (struct scans_4 *)me->frame;
  const int n = F->n;
  const int *const x = F->x;
  int *const sums = F->sums;
  int s;
#line 5 "scans.c"
  { int *const ek_whole_s = &(*F->s); int s = 0; int ek_before_s = *ek_whole_s; int64_t from, to, count = (int64_t)((int)0 < n ? (uint64_t)n - (uint64_t)(int)0 : 0); ek_static(me, 0, count, &from, &to); int *const ek_runs_s = __builtin_malloc((size_t)(to - from + 1) * sizeof *ek_runs_s); if (!ek_runs_s) __builtin_trap(); for (int ek_round = 0; ek_round < 2; ek_round++) { if (ek_round) { F->ek_each_s_0[me->id] = s; 
#pragma omp barrier
#line 5
for (uint32_t ek_i = 0; ek_i < me->id; ek_i++) { { int ek_one = F->ek_each_s_0[ek_i]; ek_before_s += ek_one; } } } int64_t ek_at = from; for (int i = (uint64_t)(int)0 + ek_at; ek_at < to; ek_at++, i++) { if (!ek_round) {
    s += x[i];
ek_runs_s[ek_at - from] = s; } else { s = ek_before_s; { int ek_one = ek_runs_s[ek_at - from]; s += ek_one; } 
    sums[i] = s;
  } } } if (me->id == me->n - 1) { s = ek_before_s; { int ek_one = F->ek_each_s_0[me->id]; s += ek_one; } *ek_whole_s = s; } __builtin_free(ek_runs_s); }
  return EK_END;
}
static const ek_cbb scans_4_cbbs[] = {{4, 1, 0}};
static const ek_proc scans_4 = {.name = "scans_4", .file = "scans.c", .run = scans_4_run, .frame_bytes = sizeof(struct scans_4),
  .cbbs = scans_4_cbbs, .count = 1, .flags = EK_PINNED};
static int scans_4_on(int n, int *s, const int *x, int *sums) {
  if (!ek_on_for_region()) return 0;
  const int ek_limit = omp_get_max_threads();
  int ek_each_s_0[ek_limit];
  struct scans_4 F = {.n = n, .s = s, .x = x, .sums = sums, .ek_each_s_0 = ek_each_s_0};
  ek_run(&scans_4, &F, 0);
  return 1;
}

/* codelets of scans(), line 10 */
#line 10 "scans.c"
struct scans_10 {
  int *s;
  int *found;
  int n;
  int *before;
  const int *x;
  int *ek_each_s_3;
  uint64_t *ek_each_found_3;
  uint64_t *ek_each_found_5;
};
#line 10 "scans.c"
static ek_next EK_ALIGNED scans_10_run(ek_self *me) {
  struct scans_10 *const F = (struct scans_10 *)me->frame;
  const int n = F->n;
  const int *const x = F->x;
  int *const before = F->before;
  switch (me->at) { case 1: goto c1; }
#line 11 "scans.c"
  {
{ { const uint64_t ek_number = (uint64_t)me->id + 1; uint64_t ek_set_found = 0; int found = *F->found; { int *const ek_whole_s = &(*F->s); int s = -__INT_MAX__ - 1; int ek_before_s = *ek_whole_s; 
    int64_t from, to, count = (int64_t)((int)(n - 1) >= 0 ? ((uint64_t)(int)(n - 1) - (uint64_t)0) / 2 + 1 : 0); ek_static(me, 0, count, &from, &to); int *const ek_runs_s = __builtin_malloc((size_t)(to - from + 1) * sizeof *ek_runs_s); if (!ek_runs_s) __builtin_trap(); for (int ek_round = 0; ek_round < 2; ek_round++) { if (ek_round) { F->ek_each_s_3[me->id] = s; 
#pragma omp barrier
#line 13
for (uint32_t ek_i = 0; ek_i < me->id; ek_i++) { { int ek_one = F->ek_each_s_3[ek_i]; if (ek_before_s < ek_one) ek_before_s = ek_one; } } } int64_t ek_at = from; for (int i = (uint64_t)(int)(n - 1) - ek_at * 2; ek_at < to; ek_at++, i -= 2) { if (ek_round) { s = ek_before_s; { int ek_one = ek_runs_s[ek_at - from]; if (s < ek_one) s = ek_one; } 
      before[i] = s;
} else { ek_runs_s[ek_at - from] = s; 
      if (x[i] > s) (*(ek_set_found = ek_number, &found)) = i, s = x[i];
    } } } if (me->id == me->n - 1) { s = ek_before_s; { int ek_one = F->ek_each_s_3[me->id]; if (s < ek_one) s = ek_one; } *ek_whole_s = s; } __builtin_free(ek_runs_s); }F->ek_each_found_3[me->id] = ek_set_found; 
#pragma omp barrier
#line 17
for (uint32_t ek_i = 0; ek_set_found && ek_i < me->n; ek_i++) if (F->ek_each_found_3[ek_i] > ek_set_found) ek_set_found = 0; if (ek_set_found) *F->found = found; 
#line 17
 } EK_YIELD(me, 1, EK_SYNC); c1:; }
{ int const ek_first_0 = 0; const uint64_t ek_step_0 = (uint64_t)1; int const ek_first_1 = 1; const uint64_t ek_step_1 = (uint64_t)1; const uint64_t ek_count_1 = (uint64_t)(int64_t)((int)1 < n ? (uint64_t)n - (uint64_t)(int)1 : 0); uint64_t ek_set_found = 0; int found = *F->found; 
    
#pragma omp for nowait collapse(2) schedule(monotonic: dynamic, 4)
#line 19
for (int i = 0; i < n; i++)
      for (int j = 1; j < n; j++)
        { const uint64_t ek_number = ((uint64_t)((uint64_t)i - (uint64_t)ek_first_0) / ek_step_0) * ek_count_1 + (uint64_t)((uint64_t)j - (uint64_t)ek_first_1) / ek_step_1 + 1; if (x[i] == x[j]) (*(ek_set_found = ek_number, &found)) = i; }F->ek_each_found_5[me->id] = ek_set_found; 
#pragma omp barrier
#line 21
for (uint32_t ek_i = 0; ek_set_found && ek_i < me->n; ek_i++) if (F->ek_each_found_5[ek_i] > ek_set_found) ek_set_found = 0; if (ek_set_found) *F->found = found; 
#line 21
 }
  }
  return EK_END;
}
static const ek_cbb scans_10_cbbs[] = {{10, 1, 0}, {17, 1, 0}};
static const ek_proc scans_10 = {.name = "scans_10", .file = "scans.c", .run = scans_10_run, .frame_bytes = sizeof(struct scans_10),
  .cbbs = scans_10_cbbs, .count = 2, .flags = EK_PINNED};
static int scans_10_on(int *s, int *found, int n, int *before, const int *x) {
  if (!ek_on_for_region()) return 0;
  const int ek_limit = omp_get_max_threads();
  int ek_each_s_3[ek_limit];
  uint64_t ek_each_found_3[ek_limit];
  uint64_t ek_each_found_5[ek_limit];
  struct scans_10 F = {.s = s, .found = found, .n = n, .before = before, .x = x, .ek_each_s_3 = ek_each_s_3, .ek_each_found_3 = ek_each_found_3, .ek_each_found_5 = ek_each_found_5};
  ek_run(&scans_10, &F, 0);
  return 1;
}
EK_GENERATED_END
#line 44 "scans.c"

