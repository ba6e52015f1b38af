#line 1 "waits.c"
/* Which regions may wait for another of their instances in what looks at what others change, and so need threads. */
#include <stdatomic.h>

extern int *level, found_count, ready;
static int first(int v) {
  for (int tries = 0; tries < 4 && v > 0; tries++)
    if (__atomic_load_n(&level[v], __ATOMIC_RELAXED) == 0) return v;
  return -1;
}
static int claim(int v) {
  int nobody = -1;
  return __atomic_compare_exchange_n(&level[v], &nobody, 1, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}
static void lock(atomic_int *held) {
  while (atomic_exchange(held, 1)) {}
}
static int reach(int v) { return __atomic_load_n(&level[v], __ATOMIC_RELAXED) ? v : reach(v + 1); }

#define EK_WITHOUT_OMP_H
#include <einkorn/codelet.h>
static int looks_20_on(int n, int *out);
#line 19 "waits.c"
void looks(int n, int *out) {
if (looks_20_on(n, out)) ; else
#line 20 "waits.c"
#pragma omp parallel
  {
#pragma omp for schedule(dynamic, 8) nowait
    for (int i = 0; i < n; i++)
      for (int k = n; k > i; k--)
        if (claim(k)) __atomic_fetch_add(&found_count, first(k), __ATOMIC_RELAXED);
#pragma omp for nowait
    for (int i = 0; i < n; i++)
#pragma omp critical
      out[0] += i;
  }
}
EK_GENERATED_BEGIN
/* codelets of looks(), line 20 */
#line 20 "waits.c"
struct looks_20 {
  int n;
  int *out;
};
static ek_next EK_ALIGNED looks_20_run(ek_self *me) {
  struct looks_20 *const F = (struct looks_20 *)me->frame;
  const int n = F->n;
  int *const out = F->out;
#line 21 "waits.c"
  {
{ 
    
#pragma omp for nowait schedule(dynamic, 8)
#line 23
for (int i = 0; i < n; i++)
      for (int k = n; k > i; k--)
        if (claim(k)) __atomic_fetch_add(&found_count, first(k), __ATOMIC_RELAXED); }
{ int64_t from, to; if (ek_static(me, 0, n, &from, &to)) 
    for (int i = from; i < (int)to; i++)
#pragma omp critical
      out[0] += i; }
  }
  return EK_END;
}
static const ek_cbb looks_20_cbbs[] = {{20, 1, 0}};
static const ek_proc looks_20 = {.name = "looks_20", .file = "waits.c", .run = looks_20_run, .frame_bytes = sizeof(struct looks_20),
  .cbbs = looks_20_cbbs, .count = 1, .flags = EK_FREE};
static int looks_20_on(int n, int *out) {
  if (!ek_on_for_region()) return 0;
  struct looks_20 F = {.n = n, .out = out};
  ek_run(&looks_20, &F, 0);
  return 1;
}
EK_GENERATED_END
#line 31 "waits.c"


static int waits_34_on(volatile int *flag);
static int waits_36_on(int n);
static int waits_39_on(int n);
static int waits_42_on(atomic_int *held);
static int waits_44_on(int *out);
static int waits_46_on(void);
static int waits_51_on(int n, int *out);
#line 33 "waits.c"
void waits(int n, int *out, volatile int *flag, atomic_int *held) {
if (waits_34_on(flag)) ; else
#line 34 "waits.c"
#pragma omp parallel
  while (*flag == 0) {}
if (waits_36_on(n)) ; else
#line 36 "waits.c"
#pragma omp parallel
  for (int i = 0; i < n; i++) /* as long as another one sets it back */
    if (claim(i)) i = 0;
if (waits_39_on(n)) ; else
#line 39 "waits.c"
#pragma omp parallel
  for (int i = 0; i < n;)
    if (claim(i)) i++;
if (waits_42_on(held)) ; else
#line 42 "waits.c"
#pragma omp parallel
  lock(held);
if (waits_44_on(out)) ; else
#line 44 "waits.c"
#pragma omp parallel
  out[0] = reach(0);
if (waits_46_on()) ; else
#line 46 "waits.c"
#pragma omp parallel
  {
  again:
    if (!claim(0)) goto again;
  }
if (waits_51_on(n, out)) ; else
#line 51 "waits.c"
#pragma omp parallel
  for (int i = 0; i < n; i++) {
#pragma omp for schedule(dynamic) nowait
    for (int k = 0; k < n; k++) out[k] += i;
  }
}
EK_GENERATED_BEGIN
/* codelets of waits(), line 34 */
#line 34 "waits.c"
struct waits_34 {
  volatile int *flag;
};
static ek_next EK_ALIGNED waits_34_run(ek_self *me) {
  struct waits_34 *const F = (struct waits_34 *)me->frame;
  volatile int *const flag = F->flag;
#line 35 "waits.c"
  while (*flag == 0) {}
  return EK_END;
}
static const ek_cbb waits_34_cbbs[] = {{34, 1, 0}};
static const ek_proc waits_34 = {.name = "waits_34", .file = "waits.c", .run = waits_34_run, .frame_bytes = sizeof(struct waits_34),
  .cbbs = waits_34_cbbs, .count = 1, .flags = EK_PINNED};
static int waits_34_on(volatile int *flag) {
  if (!ek_on_for_region()) return 0;
  struct waits_34 F = {.flag = flag};
  ek_run(&waits_34, &F, 0);
  return 1;
}

/* codelets of waits(), line 36 */
#line 36 "waits.c"
struct waits_36 {
  int n;
};
static ek_next EK_ALIGNED waits_36_run(ek_self *me) {
  struct waits_36 *const F = (struct waits_36 *)me->frame;
  const int n = F->n;
#line 37 "waits.c"
  for (int i = 0; i < n; i++) /* as long as another one sets it back */
    if (claim(i)) i = 0;
  return EK_END;
}
static const ek_cbb waits_36_cbbs[] = {{36, 1, 0}};
static const ek_proc waits_36 = {.name = "waits_36", .file = "waits.c", .run = waits_36_run, .frame_bytes = sizeof(struct waits_36),
  .cbbs = waits_36_cbbs, .count = 1, .flags = EK_PINNED};
static int waits_36_on(int n) {
  if (!ek_on_for_region()) return 0;
  struct waits_36 F = {.n = n};
  ek_run(&waits_36, &F, 0);
  return 1;
}

/* codelets of waits(), line 39 */
#line 39 "waits.c"
struct waits_39 {
  int n;
};
static ek_next EK_ALIGNED waits_39_run(ek_self *me) {
  struct waits_39 *const F = (struct waits_39 *)me->frame;
  const int n = F->n;
#line 40 "waits.c"
  for (int i = 0; i < n;)
    if (claim(i)) i++;
  return EK_END;
}
static const ek_cbb waits_39_cbbs[] = {{39, 1, 0}};
static const ek_proc waits_39 = {.name = "waits_39", .file = "waits.c", .run = waits_39_run, .frame_bytes = sizeof(struct waits_39),
  .cbbs = waits_39_cbbs, .count = 1, .flags = EK_PINNED};
static int waits_39_on(int n) {
  if (!ek_on_for_region()) return 0;
  struct waits_39 F = {.n = n};
  ek_run(&waits_39, &F, 0);
  return 1;
}

/* codelets of waits(), line 42 */
#line 42 "waits.c"
struct waits_42 {
  atomic_int *held;
};
static ek_next EK_ALIGNED waits_42_run(ek_self *me) {
  struct waits_42 *const F = (struct waits_42 *)me->frame;
  atomic_int *const held = F->held;
#line 43 "waits.c"
  lock(held);
  return EK_END;
}
static const ek_cbb waits_42_cbbs[] = {{42, 1, 0}};
static const ek_proc waits_42 = {.name = "waits_42", .file = "waits.c", .run = waits_42_run, .frame_bytes = sizeof(struct waits_42),
  .cbbs = waits_42_cbbs, .count = 1, .flags = EK_PINNED};
static int waits_42_on(atomic_int *held) {
  if (!ek_on_for_region()) return 0;
  struct waits_42 F = {.held = held};
  ek_run(&waits_42, &F, 0);
  return 1;
}

/* codelets of waits(), line 44 */
#line 44 "waits.c"
struct waits_44 {
  int *out;
};
static ek_next EK_ALIGNED waits_44_run(ek_self *me) {
  struct waits_44 *const F = (struct waits_44 *)me->frame;
  int *const out = F->out;
#line 45 "waits.c"
  out[0] = reach(0);
  return EK_END;
}
static const ek_cbb waits_44_cbbs[] = {{44, 1, 0}};
static const ek_proc waits_44 = {.name = "waits_44", .file = "waits.c", .run = waits_44_run, .frame_bytes = sizeof(struct waits_44),
  .cbbs = waits_44_cbbs, .count = 1, .flags = EK_PINNED};
static int waits_44_on(int *out) {
  if (!ek_on_for_region()) return 0;
  struct waits_44 F = {.out = out};
  ek_run(&waits_44, &F, 0);
  return 1;
}

/* codelets of waits(), line 46 */
#line 46 "waits.c"
static ek_next EK_ALIGNED waits_46_run(ek_self *me) {
#line 47 "waits.c"
  {
  again:
    if (!claim(0)) goto again;
  }
  (void)me;
  return EK_END;
}
static const ek_cbb waits_46_cbbs[] = {{46, 1, 0}};
static const ek_proc waits_46 = {.name = "waits_46", .file = "waits.c", .run = waits_46_run,
  .cbbs = waits_46_cbbs, .count = 1, .flags = EK_PINNED};
static int waits_46_on(void) {
  if (!ek_on_for_region()) return 0;
  ek_run(&waits_46, NULL, 0);
  return 1;
}

/* codelets of waits(), line 51 */
#line 51 "waits.c"
struct waits_51 {
  int n;
  int *out;
};
static ek_next EK_ALIGNED waits_51_run(ek_self *me) {
  struct waits_51 *const F = (struct waits_51 *)me->frame;
  const int n = F->n;
  int *const out = F->out;
#line 52 "waits.c"
  for (int i = 0; i < n; i++) {
{ 
    
#pragma omp for nowait schedule(dynamic)
#line 54
for (int k = 0; k < n; k++) out[k] += i; }
  }
  return EK_END;
}
static const ek_cbb waits_51_cbbs[] = {{51, 1, 0}};
static const ek_proc waits_51 = {.name = "waits_51", .file = "waits.c", .run = waits_51_run, .frame_bytes = sizeof(struct waits_51),
  .cbbs = waits_51_cbbs, .count = 1, .flags = EK_PINNED};
static int waits_51_on(int n, int *out) {
  if (!ek_on_for_region()) return 0;
  struct waits_51 F = {.n = n, .out = out};
  ek_run(&waits_51, &F, 0);
  return 1;
}
EK_GENERATED_END
#line 56 "waits.c"

