#line 1 "macro_tasks.c"
/* Tasks that a macro makes, more than one in a line, in a region that a macro makes: procedures, with names of their own. */
#define PRAGMA(text) _Pragma(#text)
#define BY_ONE PRAGMA(omp parallel) PRAGMA(omp single)
#define BOTH(x, y, first, second)                         \
  PRAGMA(omp task shared(x)) { x = first; wait(&x, 1); }  \
  PRAGMA(omp task shared(y)) { y = second; wait(&y, 2); } \
  PRAGMA(omp taskwait)

#define EK_WITHOUT_OMP_H
#include <einkorn/codelet.h>
#line 9 "macro_tasks.c"
static void wait(long *x, int n) {
#pragma omp task
  *x += n;
#pragma omp taskwait
}
EK_GENERATED_BEGIN
/* codelets of wait(), line 9 */
#line 9 "macro_tasks.c"
struct wait_9 {
  long *x;
  int n;
  uint32_t at;
};
static const ek_proc wait_9;
#line 9 "macro_tasks.c"
static ek_next EK_ALIGNED wait_9_run(ek_self *me) {
  struct wait_9 *const F = (struct wait_9 *)me->frame;
  long *const x = F->x;
  const int n = F->n;
  switch (me->at) { case 1: goto c1; }
#line 9 "macro_tasks.c"
{
#pragma omp task
  *x += n;
EK_YIELD(me, 1, EK_WAIT); c1:;
}
  return EK_END;
}
static const ek_cbb wait_9_cbbs[] = {{9, 1, 0}, {12, 1, 0}};
static const ek_proc wait_9 = {.name = "wait_9", .file = "macro_tasks.c", .run = wait_9_run, .frame_bytes = sizeof(struct wait_9),
  .cbbs = wait_9_cbbs, .count = 2};
EK_GENERATED_END
#line 13 "macro_tasks.c"


static int macro_tasks_17_on(long *a, long *n, long *b);
#line 15 "macro_tasks.c"
long macro_tasks(long n) {
  long a = n, b = n;
  
#line 17
if (macro_tasks_17_on(&a, &n, &b)) ; else
#line 17 "macro_tasks.c"
#pragma omp parallel
#line 17

#line 17
#pragma omp single
#line 17

#line 17
 {
    
#line 18
#pragma omp task shared(a)
#line 18
{ a = n + 1; wait(&a, 1); }
#line 18
#pragma omp task shared(b)
#line 18
{ b = n + 2; wait(&b, 2); }
#line 18
#pragma omp taskwait
#line 18

#line 18

    wait(&a, 3);
  }
  return a * b;
}
EK_GENERATED_BEGIN
/* codelets of macro_tasks(), line 18 */
#line 18 "macro_tasks.c"
struct macro_tasks_18 {
  long *a;
  long *n;
};
struct macro_tasks_18_own {
  struct wait_9 wait_9;
};
static const ek_proc macro_tasks_18;

/* codelets of macro_tasks(), line 18 */
#line 18 "macro_tasks.c"
struct macro_tasks_18_2 {
  long *b;
  long *n;
};
struct macro_tasks_18_2_own {
  struct wait_9 wait_9;
};
static const ek_proc macro_tasks_18_2;
#line 18 "macro_tasks.c"
static ek_next EK_ALIGNED macro_tasks_18_run(ek_self *me) {
  struct macro_tasks_18 *const F = (struct macro_tasks_18 *)me->frame;
  struct macro_tasks_18_own *const I = (struct macro_tasks_18_own *)me->own;
  long *const n = F->n;
  long *const a = F->a;
  switch (me->at) { case 1: goto c1; }
#line 18 "macro_tasks.c"
{ (*a) = (*n) + 1; { I->wait_9 = (struct wait_9){.x = &(*a), .n = 1}; c1: EK_GO_ON(me, 1, &wait_9, &I->wait_9, NULL, &I->wait_9.at); } }
  return EK_END;
}
static const ek_cbb macro_tasks_18_cbbs[] = {{18, 1, 0}, {18, 1, 0}};
static const ek_proc macro_tasks_18 = {.name = "macro_tasks_18", .file = "macro_tasks.c", .run = macro_tasks_18_run, .frame_bytes = sizeof(struct macro_tasks_18), .own_bytes = sizeof(struct macro_tasks_18_own),
  .cbbs = macro_tasks_18_cbbs, .count = 2};
#line 18 "macro_tasks.c"
static ek_next EK_ALIGNED macro_tasks_18_2_run(ek_self *me) {
  struct macro_tasks_18_2 *const F = (struct macro_tasks_18_2 *)me->frame;
  struct macro_tasks_18_2_own *const I = (struct macro_tasks_18_2_own *)me->own;
  long *const n = F->n;
  long *const b = F->b;
  switch (me->at) { case 1: goto c1; }
#line 18 "macro_tasks.c"
{ (*b) = (*n) + 2; { I->wait_9 = (struct wait_9){.x = &(*b), .n = 2}; c1: EK_GO_ON(me, 1, &wait_9, &I->wait_9, NULL, &I->wait_9.at); } }
  return EK_END;
}
static const ek_cbb macro_tasks_18_2_cbbs[] = {{18, 1, 0}, {18, 1, 0}};
static const ek_proc macro_tasks_18_2 = {.name = "macro_tasks_18_2", .file = "macro_tasks.c", .run = macro_tasks_18_2_run, .frame_bytes = sizeof(struct macro_tasks_18_2), .own_bytes = sizeof(struct macro_tasks_18_2_own),
  .cbbs = macro_tasks_18_2_cbbs, .count = 2};

/* codelets of macro_tasks(), line 17 */
#line 17 "macro_tasks.c"
struct macro_tasks_17 {
  long *a;
  long *n;
  long *b;
};
struct macro_tasks_17_own {
  struct wait_9 wait_9;
};
#line 17 "macro_tasks.c"
static ek_next EK_ALIGNED macro_tasks_17_run(ek_self *me) {
  struct macro_tasks_17 *const F = (struct macro_tasks_17 *)me->frame;
  struct macro_tasks_17_own *const I = (struct macro_tasks_17_own *)me->own;
  long *const n = F->n;
  long *const a = F->a;
  long *const b = F->b;
  switch (me->at) { case 1: goto c1; case 2: goto c2; }
#line 17 "macro_tasks.c"
{ if (ek_single(me))
#line 17

#line 17
 {
    
#line 18
ek_invoke(me, &macro_tasks_18, &(struct macro_tasks_18){.a = a, .n = n});
#line 18

#line 18
ek_invoke(me, &macro_tasks_18_2, &(struct macro_tasks_18_2){.b = b, .n = n});
#line 18

#line 18
#pragma omp taskwait
#line 18

#line 18

    { I->wait_9 = (struct wait_9){.x = &(*a), .n = 3}; c1: EK_GO_ON(me, 1, &wait_9, &I->wait_9, NULL, &I->wait_9.at); }
  } EK_YIELD(me, 2, EK_SYNC); c2:; }
  return EK_END;
}
static const ek_cbb macro_tasks_17_cbbs[] = {{17, 1, 0}, {19, 1, 0}, {20, 1, 0}};
static const ek_proc macro_tasks_17 = {.name = "macro_tasks_17", .file = "macro_tasks.c", .run = macro_tasks_17_run, .frame_bytes = sizeof(struct macro_tasks_17), .own_bytes = sizeof(struct macro_tasks_17_own),
  .cbbs = macro_tasks_17_cbbs, .count = 3, .flags = EK_PINNED};
static int macro_tasks_17_on(long *a, long *n, long *b) {
  if (!ek_on_for_region()) return 0;
  struct macro_tasks_17 F = {.a = a, .n = n, .b = b};
  ek_run(&macro_tasks_17, &F, 0);
  return 1;
}
EK_GENERATED_END
#line 22 "macro_tasks.c"

#ifdef BOTH
#endif
#ifdef BY_ONE
#endif
#ifdef PRAGMA
#endif
