#line 1 "macros.c"
/* What macros make, or name, is replaced by what it stands for, where a region needs it: others stay. */
#include <stdio.h>

#define LOOP(text) _Pragma(text) for (int i = 0; i < n; i++)
#define WITH_N printf("%d\n", n++)
#define STEP 3

#define EK_WITHOUT_OMP_H
#include <einkorn/codelet.h>
static int macros_9_on(int n, int *x);
static int macros_10_on(int *n);
#line 8 "macros.c"
void macros(int n, int *x) {
  
#line 9
if (macros_9_on(n, x)) ; else
#line 9 "macros.c"
#pragma omp parallel for schedule(static)
#line 9
for (int i = 0; i < n; i++)
#line 9
 x[i] += STEP;
if (macros_10_on(&n)) ; else
#line 10 "macros.c"
#pragma omp parallel
  {
#pragma omp single
    printf("%d\n", n++);
  }
}
EK_GENERATED_BEGIN
/* codelets of macros(), line 9 */
#line 9 "macros.c"
struct macros_9 {
  int n;
  int *x;
};
#line 9 "macros.c"
static ek_next EK_ALIGNED macros_9_run(ek_self *me) {
  struct macros_9 *const F = (struct macros_9 *)me->frame;
  const int n = F->n;
  int *const x = F->x;
#line 9 "macros.c"
int64_t from, to; if (ek_static(me, 0, n, &from, &to)) for (int i = from; i < (int)to; i++)
#line 9
 x[i] += STEP;
  return EK_END;
}
static const ek_cbb macros_9_cbbs[] = {{9, 1, 0}};
static const ek_proc macros_9 = {.name = "macros_9", .file = "macros.c", .run = macros_9_run, .frame_bytes = sizeof(struct macros_9),
  .cbbs = macros_9_cbbs, .count = 1, .flags = EK_FREE | EK_LOOP | EK_WHOLE};
static int macros_9_on(int n, int *x) {
  if (!ek_on_for_region()) return 0;
  struct macros_9 F = {.n = n, .x = x};
  static ek_loop ek_known;
  ek_run_loop(&macros_9, &F, 0, n, &ek_known);
  return 1;
}

/* codelets of macros(), line 10 */
#line 10 "macros.c"
struct macros_10 {
  int *n;
};
#line 10 "macros.c"
static ek_next EK_ALIGNED macros_10_run(ek_self *me) {
  struct macros_10 *const F = (struct macros_10 *)me->frame;
  int *const n = F->n;
#line 11 "macros.c"
  {
if (ek_single(me))
    printf("%d\n", (*n)++);
  }
  return EK_END;
}
static const ek_cbb macros_10_cbbs[] = {{10, 1, 0}};
static const ek_proc macros_10 = {.name = "macros_10", .file = "macros.c", .run = macros_10_run, .frame_bytes = sizeof(struct macros_10),
  .cbbs = macros_10_cbbs, .count = 1, .flags = EK_FREE};
static int macros_10_on(int *n) {
  if (!ek_on_for_region()) return 0;
  struct macros_10 F = {.n = n};
  ek_run(&macros_10, &F, 0);
  return 1;
}
EK_GENERATED_END
#line 15 "macros.c"

#ifdef LOOP
#endif
#ifdef STEP
#endif
#ifdef WITH_N
#endif
