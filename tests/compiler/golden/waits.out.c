#line 1 "waits.c"
/* Which regions may wait for another of their instances in what looks at what others change, and so need threads. */
#include <stdatomic.h>

extern int *level, found_count, ready;
static int reached(int v) {
  int n = 0;
  for (int w = v; w < v + 4; w++) n += __atomic_load_n(&level[w], __ATOMIC_RELAXED) != 0;
  return n;
}
static int gives_up(int v) {
  for (int tries = 0; tries < 1000; tries++)
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
static int looks_25_on(int n, int *out);
#line 24 "waits.c"
void looks(int n, int *out) {
if (looks_25_on(n, out)) ; else
#line 25 "waits.c"
#pragma omp parallel
  {
#pragma omp for schedule(dynamic, 8) nowait
    for (int i = 0; i < n; i++)
      for (int k = n; k > i; k--)
        if (claim(k)) __atomic_fetch_add(&found_count, reached(k), __ATOMIC_RELAXED);
#pragma omp for nowait
    for (int i = 0; i < n; i++)
#pragma omp critical
      out[0] += i;
  }
}
EK_GENERATED_BEGIN
/* codelets of looks(), line 25 */
#line 25 "waits.c"
struct looks_25 {
  int n;
  int *out;
};
#line 25 "waits.c"
static ek_next EK_ALIGNED looks_25_run(ek_self *me) {
  struct looks_25 *const F = (struct looks_25 *)me->frame;
  const int n = F->n;
  int *const out = F->out;
#line 26 "waits.c"
  {
{ 
    
#pragma omp for nowait schedule(dynamic, 8)
#line 28
for (int i = 0; i < n; i++)
      for (int k = n; k > i; k--)
        if (claim(k)) __atomic_fetch_add(&found_count, reached(k), __ATOMIC_RELAXED); }
{ int64_t from, to; if (ek_static(me, 0, n, &from, &to)) 
    for (int i = from; i < (int)to; i++)
#pragma omp critical
      out[0] += i; }
  }
  return EK_END;
}
static const ek_cbb looks_25_cbbs[] = {{25, 1, 0}};
static const ek_proc looks_25 = {.name = "looks_25", .file = "waits.c", .run = looks_25_run, .frame_bytes = sizeof(struct looks_25),
  .cbbs = looks_25_cbbs, .count = 1, .flags = EK_FREE};
static int looks_25_on(int n, int *out) {
  if (!ek_on_for_region()) return 0;
  struct looks_25 F = {.n = n, .out = out};
  ek_run(&looks_25, &F, 0);
  return 1;
}
EK_GENERATED_END
#line 36 "waits.c"


static int waits_39_on(volatile int *flag);
static int waits_41_on(int n);
static int waits_44_on(int n);
static int waits_47_on(int n, int *out);
static int waits_49_on(int *out);
static int waits_51_on(atomic_int *held);
static int waits_53_on(int *out);
static int waits_55_on(void);
static int waits_60_on(int n, int *out);
#line 38 "waits.c"
void waits(int n, int *out, volatile int *flag, atomic_int *held) {
if (waits_39_on(flag)) ; else
#line 39 "waits.c"
#pragma omp parallel
  while (*flag == 0) {}
if (waits_41_on(n)) ; else
#line 41 "waits.c"
#pragma omp parallel
  for (int i = 0; i < n; i++) /* as long as another one sets it back */
    if (claim(i)) i = 0;
if (waits_44_on(n)) ; else
#line 44 "waits.c"
#pragma omp parallel
  for (int i = 0; i < n;)
    if (claim(i)) i++;
if (waits_47_on(n, out)) ; else
#line 47 "waits.c"
#pragma omp parallel
  for (int i = 0; i < n; i += reached(i)) out[i]++;
if (waits_49_on(out)) ; else
#line 49 "waits.c"
#pragma omp parallel
  out[0] = gives_up(0);
if (waits_51_on(held)) ; else
#line 51 "waits.c"
#pragma omp parallel
  lock(held);
if (waits_53_on(out)) ; else
#line 53 "waits.c"
#pragma omp parallel
  out[0] = reach(0);
if (waits_55_on()) ; else
#line 55 "waits.c"
#pragma omp parallel
  {
  again:
    if (!claim(0)) goto again;
  }
if (waits_60_on(n, out)) ; else
#line 60 "waits.c"
#pragma omp parallel
  for (int i = 0; i < n; i++) {
#pragma omp for schedule(dynamic) nowait
    for (int k = 0; k < n; k++) out[k] += i;
  }
}
EK_GENERATED_BEGIN
/* codelets of waits(), line 39 */
#line 39 "waits.c"
struct waits_39 {
  volatile int *flag;
};
#line 39 "waits.c"
static ek_next EK_ALIGNED waits_39_run(ek_self *me) {
  struct waits_39 *const F = (struct waits_39 *)me->frame;
  volatile int *const flag = F->flag;
#line 40 "waits.c"
  while (*flag == 0) {}
  return EK_END;
}
static const ek_cbb waits_39_cbbs[] = {{39, 1, 0}};
static const ek_proc waits_39 = {.name = "waits_39", .file = "waits.c", .run = waits_39_run, .frame_bytes = sizeof(struct waits_39),
  .cbbs = waits_39_cbbs, .count = 1, .flags = EK_PINNED};
static int waits_39_on(volatile int *flag) {
  if (!ek_on_for_region()) return 0;
  struct waits_39 F = {.flag = flag};
  ek_run(&waits_39, &F, 0);
  return 1;
}

/* codelets of waits(), line 41 */
#line 41 "waits.c"
struct waits_41 {
  int n;
};
#line 41 "waits.c"
static ek_next EK_ALIGNED waits_41_run(ek_self *me) {
  struct waits_41 *const F = (struct waits_41 *)me->frame;
  const int n = F->n;
#line 42 "waits.c"
  for (int i = 0; i < n; i++) /* as long as another one sets it back */
    if (claim(i)) i = 0;
  return EK_END;
}
static const ek_cbb waits_41_cbbs[] = {{41, 1, 0}};
static const ek_proc waits_41 = {.name = "waits_41", .file = "waits.c", .run = waits_41_run, .frame_bytes = sizeof(struct waits_41),
  .cbbs = waits_41_cbbs, .count = 1, .flags = EK_PINNED};
static int waits_41_on(int n) {
  if (!ek_on_for_region()) return 0;
  struct waits_41 F = {.n = n};
  ek_run(&waits_41, &F, 0);
  return 1;
}

/* codelets of waits(), line 44 */
#line 44 "waits.c"
struct waits_44 {
  int n;
};
#line 44 "waits.c"
static ek_next EK_ALIGNED waits_44_run(ek_self *me) {
  struct waits_44 *const F = (struct waits_44 *)me->frame;
  const int n = F->n;
#line 45 "waits.c"
  for (int i = 0; i < n;)
    if (claim(i)) i++;
  return EK_END;
}
static const ek_cbb waits_44_cbbs[] = {{44, 1, 0}};
static const ek_proc waits_44 = {.name = "waits_44", .file = "waits.c", .run = waits_44_run, .frame_bytes = sizeof(struct waits_44),
  .cbbs = waits_44_cbbs, .count = 1, .flags = EK_PINNED};
static int waits_44_on(int n) {
  if (!ek_on_for_region()) return 0;
  struct waits_44 F = {.n = n};
  ek_run(&waits_44, &F, 0);
  return 1;
}

/* codelets of waits(), line 47 */
#line 47 "waits.c"
struct waits_47 {
  int n;
  int *out;
};
#line 47 "waits.c"
static ek_next EK_ALIGNED waits_47_run(ek_self *me) {
  struct waits_47 *const F = (struct waits_47 *)me->frame;
  const int n = F->n;
  int *const out = F->out;
#line 48 "waits.c"
  for (int i = 0; i < n; i += reached(i)) out[i]++;
  return EK_END;
}
static const ek_cbb waits_47_cbbs[] = {{47, 1, 0}};
static const ek_proc waits_47 = {.name = "waits_47", .file = "waits.c", .run = waits_47_run, .frame_bytes = sizeof(struct waits_47),
  .cbbs = waits_47_cbbs, .count = 1, .flags = EK_PINNED};
static int waits_47_on(int n, int *out) {
  if (!ek_on_for_region()) return 0;
  struct waits_47 F = {.n = n, .out = out};
  ek_run(&waits_47, &F, 0);
  return 1;
}

/* codelets of waits(), line 49 */
#line 49 "waits.c"
struct waits_49 {
  int *out;
};
#line 49 "waits.c"
static ek_next EK_ALIGNED waits_49_run(ek_self *me) {
  struct waits_49 *const F = (struct waits_49 *)me->frame;
  int *const out = F->out;
#line 50 "waits.c"
  out[0] = gives_up(0);
  return EK_END;
}
static const ek_cbb waits_49_cbbs[] = {{49, 1, 0}};
static const ek_proc waits_49 = {.name = "waits_49", .file = "waits.c", .run = waits_49_run, .frame_bytes = sizeof(struct waits_49),
  .cbbs = waits_49_cbbs, .count = 1, .flags = EK_PINNED};
static int waits_49_on(int *out) {
  if (!ek_on_for_region()) return 0;
  struct waits_49 F = {.out = out};
  ek_run(&waits_49, &F, 0);
  return 1;
}

/* codelets of waits(), line 51 */
#line 51 "waits.c"
struct waits_51 {
  atomic_int *held;
};
#line 51 "waits.c"
static ek_next EK_ALIGNED waits_51_run(ek_self *me) {
  struct waits_51 *const F = (struct waits_51 *)me->frame;
  atomic_int *const held = F->held;
#line 52 "waits.c"
  lock(held);
  return EK_END;
}
static const ek_cbb waits_51_cbbs[] = {{51, 1, 0}};
static const ek_proc waits_51 = {.name = "waits_51", .file = "waits.c", .run = waits_51_run, .frame_bytes = sizeof(struct waits_51),
  .cbbs = waits_51_cbbs, .count = 1, .flags = EK_PINNED};
static int waits_51_on(atomic_int *held) {
  if (!ek_on_for_region()) return 0;
  struct waits_51 F = {.held = held};
  ek_run(&waits_51, &F, 0);
  return 1;
}

/* codelets of waits(), line 53 */
#line 53 "waits.c"
struct waits_53 {
  int *out;
};
#line 53 "waits.c"
static ek_next EK_ALIGNED waits_53_run(ek_self *me) {
  struct waits_53 *const F = (struct waits_53 *)me->frame;
  int *const out = F->out;
#line 54 "waits.c"
  out[0] = reach(0);
  return EK_END;
}
static const ek_cbb waits_53_cbbs[] = {{53, 1, 0}};
static const ek_proc waits_53 = {.name = "waits_53", .file = "waits.c", .run = waits_53_run, .frame_bytes = sizeof(struct waits_53),
  .cbbs = waits_53_cbbs, .count = 1, .flags = EK_PINNED};
static int waits_53_on(int *out) {
  if (!ek_on_for_region()) return 0;
  struct waits_53 F = {.out = out};
  ek_run(&waits_53, &F, 0);
  return 1;
}

/* codelets of waits(), line 55 */
#line 55 "waits.c"
#line 55 "waits.c"
static ek_next EK_ALIGNED waits_55_run(ek_self *me) {
#line 56 "waits.c"
  {
  again:
    if (!claim(0)) goto again;
  }
  (void)me;
  return EK_END;
}
static const ek_cbb waits_55_cbbs[] = {{55, 1, 0}};
static const ek_proc waits_55 = {.name = "waits_55", .file = "waits.c", .run = waits_55_run,
  .cbbs = waits_55_cbbs, .count = 1, .flags = EK_PINNED};
static int waits_55_on(void) {
  if (!ek_on_for_region()) return 0;
  ek_run(&waits_55, NULL, 0);
  return 1;
}

/* codelets of waits(), line 60 */
#line 60 "waits.c"
struct waits_60 {
  int n;
  int *out;
};
#line 60 "waits.c"
static ek_next EK_ALIGNED waits_60_run(ek_self *me) {
  struct waits_60 *const F = (struct waits_60 *)me->frame;
  const int n = F->n;
  int *const out = F->out;
#line 61 "waits.c"
  for (int i = 0; i < n; i++) {
{ 
    
#pragma omp for nowait schedule(dynamic)
#line 63
for (int k = 0; k < n; k++) out[k] += i; }
  }
  return EK_END;
}
static const ek_cbb waits_60_cbbs[] = {{60, 1, 0}};
static const ek_proc waits_60 = {.name = "waits_60", .file = "waits.c", .run = waits_60_run, .frame_bytes = sizeof(struct waits_60),
  .cbbs = waits_60_cbbs, .count = 1, .flags = EK_PINNED};
static int waits_60_on(int n, int *out) {
  if (!ek_on_for_region()) return 0;
  struct waits_60 F = {.n = n, .out = out};
  ek_run(&waits_60, &F, 0);
  return 1;
}
EK_GENERATED_END
#line 65 "waits.c"

