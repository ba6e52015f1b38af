#line 1 "called.c"
/* What is called by a name of libc's, or by libc: whether it may wait, or asks for its thread. */
#include <math.h>
#include <stdlib.h>

extern int *level;
float randf(void); /* the program's own, in another file, for all its name says */
static int by_value(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static int waits(const void *a, const void *b) {
  while (__atomic_load_n(&level[*(const int *)a], __ATOMIC_RELAXED) == 0) {}
  return by_value(a, b);
}
static int looks(const void *a, const void *b) { return __atomic_load_n(&level[0], __ATOMIC_RELAXED) ? by_value(a, b) : 0; }
static void sorted(int *x, int n, int (*compare)(const void *, const void *)) { qsort(x, n, sizeof *x, compare); }
__attribute__((weak)) int either(int n) { return n; }

#define EK_WITHOUT_OMP_H
#include <einkorn/codelet.h>
static int by_name_17_on(float *x);
static int by_name_19_on(float *x);
static int by_name_21_on(float *x);
#line 16 "called.c"
void by_name(float *x) {
if (by_name_17_on(x)) ; else
#line 17 "called.c"
#pragma omp parallel
  x[0] = sinf(x[1]) + hypotf(x[2], x[3]);
if (by_name_19_on(x)) ; else
#line 19 "called.c"
#pragma omp parallel
  x[0] = randf();
if (by_name_21_on(x)) ; else
#line 21 "called.c"
#pragma omp parallel
  x[0] = either(1);
}
EK_GENERATED_BEGIN
/* codelets of by_name(), line 17 */
#line 17 "called.c"
struct by_name_17 {
  float *x;
};
#line 17 "called.c"
static ek_next EK_ALIGNED by_name_17_run(ek_self *me) {
  struct by_name_17 *const F = (struct by_name_17 *)me->frame;
  float *const x = F->x;
#line 18 "called.c"
  x[0] = sinf(x[1]) + hypotf(x[2], x[3]);
  return EK_END;
}
static const ek_cbb by_name_17_cbbs[] = {{17, 1, 0}};
static const ek_proc by_name_17 = {.name = "by_name_17", .file = "called.c", .run = by_name_17_run, .frame_bytes = sizeof(struct by_name_17),
  .cbbs = by_name_17_cbbs, .count = 1, .flags = EK_FREE};
static int by_name_17_on(float *x) {
  if (!ek_on_for_region()) return 0;
  struct by_name_17 F = {.x = x};
  ek_run(&by_name_17, &F, 0);
  return 1;
}

/* codelets of by_name(), line 19 */
#line 19 "called.c"
struct by_name_19 {
  float *x;
};
#line 19 "called.c"
static ek_next EK_ALIGNED by_name_19_run(ek_self *me) {
  struct by_name_19 *const F = (struct by_name_19 *)me->frame;
  float *const x = F->x;
#line 20 "called.c"
  x[0] = randf();
  return EK_END;
}
static const ek_cbb by_name_19_cbbs[] = {{19, 1, 0}};
static const ek_proc by_name_19 = {.name = "by_name_19", .file = "called.c", .run = by_name_19_run, .frame_bytes = sizeof(struct by_name_19),
  .cbbs = by_name_19_cbbs, .count = 1, .flags = EK_PINNED};
static int by_name_19_on(float *x) {
  if (!ek_on_for_region()) return 0;
  struct by_name_19 F = {.x = x};
  ek_run(&by_name_19, &F, 0);
  return 1;
}

/* codelets of by_name(), line 21 */
#line 21 "called.c"
struct by_name_21 {
  float *x;
};
#line 21 "called.c"
static ek_next EK_ALIGNED by_name_21_run(ek_self *me) {
  struct by_name_21 *const F = (struct by_name_21 *)me->frame;
  float *const x = F->x;
#line 22 "called.c"
  x[0] = either(1);
  return EK_END;
}
static const ek_cbb by_name_21_cbbs[] = {{21, 1, 0}};
static const ek_proc by_name_21 = {.name = "by_name_21", .file = "called.c", .run = by_name_21_run, .frame_bytes = sizeof(struct by_name_21),
  .cbbs = by_name_21_cbbs, .count = 1, .flags = EK_PINNED};
static int by_name_21_on(float *x) {
  if (!ek_on_for_region()) return 0;
  struct by_name_21 F = {.x = x};
  ek_run(&by_name_21, &F, 0);
  return 1;
}
EK_GENERATED_END
#line 23 "called.c"


static int by_libc_26_on(int *x, int n);
static int by_libc_28_on(int *x, int n);
static int by_libc_30_on(int *x, int n);
static int by_libc_32_on(int *x, int n);
static int by_libc_34_on(int *x, int n, int (*unknown)(const void *, const void *));
static int by_libc_36_on(int *x, int n);
#line 25 "called.c"
void by_libc(int *x, int n, int (*unknown)(const void *, const void *)) {
if (by_libc_26_on(x, n)) ; else
#line 26 "called.c"
#pragma omp parallel
  qsort(x, n, sizeof *x, by_value);
if (by_libc_28_on(x, n)) ; else
#line 28 "called.c"
#pragma omp parallel
  bsearch(x, x, n, sizeof *x, (int (*)(const void *, const void *))&by_value);
if (by_libc_30_on(x, n)) ; else
#line 30 "called.c"
#pragma omp parallel
  qsort(x, n, sizeof *x, waits);
if (by_libc_32_on(x, n)) ; else
#line 32 "called.c"
#pragma omp parallel
  qsort(x, n, sizeof *x, looks);
if (by_libc_34_on(x, n, unknown)) ; else
#line 34 "called.c"
#pragma omp parallel
  qsort(x, n, sizeof *x, unknown);
if (by_libc_36_on(x, n)) ; else
#line 36 "called.c"
#pragma omp parallel
  sorted(x, n, by_value);
}
EK_GENERATED_BEGIN
/* codelets of by_libc(), line 26 */
#line 26 "called.c"
struct by_libc_26 {
  int *x;
  int n;
};
#line 26 "called.c"
static ek_next EK_ALIGNED by_libc_26_run(ek_self *me) {
  struct by_libc_26 *const F = (struct by_libc_26 *)me->frame;
  int *const x = F->x;
  const int n = F->n;
#line 27 "called.c"
  qsort(x, n, sizeof *x, by_value);
  return EK_END;
}
static const ek_cbb by_libc_26_cbbs[] = {{26, 1, 0}};
static const ek_proc by_libc_26 = {.name = "by_libc_26", .file = "called.c", .run = by_libc_26_run, .frame_bytes = sizeof(struct by_libc_26),
  .cbbs = by_libc_26_cbbs, .count = 1, .flags = EK_FREE};
static int by_libc_26_on(int *x, int n) {
  if (!ek_on_for_region()) return 0;
  struct by_libc_26 F = {.x = x, .n = n};
  ek_run(&by_libc_26, &F, 0);
  return 1;
}

/* codelets of by_libc(), line 28 */
#line 28 "called.c"
struct by_libc_28 {
  int *x;
  int n;
};
#line 28 "called.c"
static ek_next EK_ALIGNED by_libc_28_run(ek_self *me) {
  struct by_libc_28 *const F = (struct by_libc_28 *)me->frame;
  int *const x = F->x;
  const int n = F->n;
#line 29 "called.c"
  bsearch(x, x, n, sizeof *x, (int (*)(const void *, const void *))&by_value);
  return EK_END;
}
static const ek_cbb by_libc_28_cbbs[] = {{28, 1, 0}};
static const ek_proc by_libc_28 = {.name = "by_libc_28", .file = "called.c", .run = by_libc_28_run, .frame_bytes = sizeof(struct by_libc_28),
  .cbbs = by_libc_28_cbbs, .count = 1, .flags = EK_FREE};
static int by_libc_28_on(int *x, int n) {
  if (!ek_on_for_region()) return 0;
  struct by_libc_28 F = {.x = x, .n = n};
  ek_run(&by_libc_28, &F, 0);
  return 1;
}

/* codelets of by_libc(), line 30 */
#line 30 "called.c"
struct by_libc_30 {
  int *x;
  int n;
};
#line 30 "called.c"
static ek_next EK_ALIGNED by_libc_30_run(ek_self *me) {
  struct by_libc_30 *const F = (struct by_libc_30 *)me->frame;
  int *const x = F->x;
  const int n = F->n;
#line 31 "called.c"
  qsort(x, n, sizeof *x, waits);
  return EK_END;
}
static const ek_cbb by_libc_30_cbbs[] = {{30, 1, 0}};
static const ek_proc by_libc_30 = {.name = "by_libc_30", .file = "called.c", .run = by_libc_30_run, .frame_bytes = sizeof(struct by_libc_30),
  .cbbs = by_libc_30_cbbs, .count = 1, .flags = EK_PINNED};
static int by_libc_30_on(int *x, int n) {
  if (!ek_on_for_region()) return 0;
  struct by_libc_30 F = {.x = x, .n = n};
  ek_run(&by_libc_30, &F, 0);
  return 1;
}

/* codelets of by_libc(), line 32 */
#line 32 "called.c"
struct by_libc_32 {
  int *x;
  int n;
};
#line 32 "called.c"
static ek_next EK_ALIGNED by_libc_32_run(ek_self *me) {
  struct by_libc_32 *const F = (struct by_libc_32 *)me->frame;
  int *const x = F->x;
  const int n = F->n;
#line 33 "called.c"
  qsort(x, n, sizeof *x, looks);
  return EK_END;
}
static const ek_cbb by_libc_32_cbbs[] = {{32, 1, 0}};
static const ek_proc by_libc_32 = {.name = "by_libc_32", .file = "called.c", .run = by_libc_32_run, .frame_bytes = sizeof(struct by_libc_32),
  .cbbs = by_libc_32_cbbs, .count = 1, .flags = EK_PINNED};
static int by_libc_32_on(int *x, int n) {
  if (!ek_on_for_region()) return 0;
  struct by_libc_32 F = {.x = x, .n = n};
  ek_run(&by_libc_32, &F, 0);
  return 1;
}

/* codelets of by_libc(), line 34 */
#line 34 "called.c"
struct by_libc_34 {
  int *x;
  int n;
  int (*unknown)(const void *, const void *);
};
#line 34 "called.c"
static ek_next EK_ALIGNED by_libc_34_run(ek_self *me) {
  struct by_libc_34 *const F = (struct by_libc_34 *)me->frame;
  int *const x = F->x;
  const int n = F->n;
  int (*const unknown)(const void *, const void *) = F->unknown;
#line 35 "called.c"
  qsort(x, n, sizeof *x, unknown);
  return EK_END;
}
static const ek_cbb by_libc_34_cbbs[] = {{34, 1, 0}};
static const ek_proc by_libc_34 = {.name = "by_libc_34", .file = "called.c", .run = by_libc_34_run, .frame_bytes = sizeof(struct by_libc_34),
  .cbbs = by_libc_34_cbbs, .count = 1, .flags = EK_PINNED};
static int by_libc_34_on(int *x, int n, int (*unknown)(const void *, const void *)) {
  if (!ek_on_for_region()) return 0;
  struct by_libc_34 F = {.x = x, .n = n, .unknown = unknown};
  ek_run(&by_libc_34, &F, 0);
  return 1;
}

/* codelets of by_libc(), line 36 */
#line 36 "called.c"
struct by_libc_36 {
  int *x;
  int n;
};
#line 36 "called.c"
static ek_next EK_ALIGNED by_libc_36_run(ek_self *me) {
  struct by_libc_36 *const F = (struct by_libc_36 *)me->frame;
  int *const x = F->x;
  const int n = F->n;
#line 37 "called.c"
  sorted(x, n, by_value);
  return EK_END;
}
static const ek_cbb by_libc_36_cbbs[] = {{36, 1, 0}};
static const ek_proc by_libc_36 = {.name = "by_libc_36", .file = "called.c", .run = by_libc_36_run, .frame_bytes = sizeof(struct by_libc_36),
  .cbbs = by_libc_36_cbbs, .count = 1, .flags = EK_PINNED};
static int by_libc_36_on(int *x, int n) {
  if (!ek_on_for_region()) return 0;
  struct by_libc_36 F = {.x = x, .n = n};
  ek_run(&by_libc_36, &F, 0);
  return 1;
}
EK_GENERATED_END
#line 38 "called.c"


/* Procedures may go on on another thread than where they gave way. */
static int calls;
#pragma omp threadprivate(calls)
static int asks(const void *a, const void *b) {
  calls = *(const int *)a;
  return by_value(a, b);
}
#line 47 "called.c"
static void free_of_it(int *x, int n) {
#pragma omp task
  x[0] = n;
#pragma omp taskwait
  qsort(x, n, sizeof *x, by_value);
}
EK_GENERATED_BEGIN
/* codelets of free_of_it(), line 47 */
#line 47 "called.c"
struct free_of_it_47 {
  int *x;
  int n;
};
static const ek_proc free_of_it_47;
#line 47 "called.c"
static ek_next EK_ALIGNED free_of_it_47_run(ek_self *me) {
  struct free_of_it_47 *const F = (struct free_of_it_47 *)me->frame;
  int *const x = F->x;
  const int n = F->n;
  switch (me->at) { case 1: goto c1; }
#line 47 "called.c"
{
#pragma omp task
  x[0] = n;
EK_YIELD(me, 1, EK_WAIT); c1:;
  qsort(x, n, sizeof *x, by_value);
}
  return EK_END;
}
static const ek_cbb free_of_it_47_cbbs[] = {{47, 1, 0}, {50, 1, 0}};
static const ek_proc free_of_it_47 = {.name = "free_of_it_47", .file = "called.c", .run = free_of_it_47_run, .frame_bytes = sizeof(struct free_of_it_47),
  .cbbs = free_of_it_47_cbbs, .count = 2};
EK_GENERATED_END
#line 52 "called.c"

static void bound_by_it(int *x, int n) {
#pragma omp task
  x[0] = n;
#pragma omp taskwait
  qsort(x, n, sizeof *x, asks);
}
/* Another file may have another one, that is called then. */
__attribute__((weak)) void replaced(int *x, int n) {
#pragma omp task
  x[0] = n;
#pragma omp taskwait
}
static int procedures_66_on(int *x, int n);
#line 65 "called.c"
void procedures(int *x, int n) {
if (procedures_66_on(x, n)) ; else
#line 66 "called.c"
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    free_of_it(x, n);
#pragma omp task
    bound_by_it(x, n);
#pragma omp task
    replaced(x, n);
  }
}
EK_GENERATED_BEGIN
/* codelets of procedures(), line 66 */
#line 66 "called.c"
struct procedures_66 {
  int *x;
  int n;
};
#line 66 "called.c"
static ek_next EK_ALIGNED procedures_66_run(ek_self *me) {
  struct procedures_66 *const F = (struct procedures_66 *)me->frame;
  int *const x = F->x;
  const int n = F->n;
  switch (me->at) { case 1: goto c1; }
#line 67 "called.c"
{ if (ek_single(me))
  {
    ek_invoke(me, &free_of_it_47, &(struct free_of_it_47){.x = x, .n = n});

#pragma omp task
    bound_by_it(x, n);
#pragma omp task
    replaced(x, n);
  } EK_YIELD(me, 1, EK_SYNC); c1:; }
  return EK_END;
}
static const ek_cbb procedures_66_cbbs[] = {{66, 1, 0}, {75, 1, 0}};
static const ek_proc procedures_66 = {.name = "procedures_66", .file = "called.c", .run = procedures_66_run, .frame_bytes = sizeof(struct procedures_66),
  .cbbs = procedures_66_cbbs, .count = 2, .flags = EK_PINNED};
static int procedures_66_on(int *x, int n) {
  if (!ek_on_for_region()) return 0;
  struct procedures_66 F = {.x = x, .n = n};
  ek_run(&procedures_66, &F, 0);
  return 1;
}
EK_GENERATED_END
#line 76 "called.c"

