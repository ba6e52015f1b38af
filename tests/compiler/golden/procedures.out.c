#line 1 "procedures.c"
/* Functions that wait are procedures; tasks that only call one are invocations of it. */
#include <stddef.h>

#define EK_WITHOUT_OMP_H
#include <einkorn/codelet.h>
#line 4 "procedures.c"
static long fib(int n) {
  if (n < 2) return n;
  long x, y;
#pragma omp task shared(x)
  x = fib(n - 1);
#pragma omp task shared(y)
  y = fib(n - 2);
#pragma omp taskwait
  return x + y; /* both are there */
}
EK_GENERATED_BEGIN
/* codelets of fib(), line 4 */
#line 4 "procedures.c"
struct fib_4 {
  int n;
  long *result;
  long x;
  long y;
  uint32_t at;
};
static const ek_proc fib_4;
static inline int __attribute__((unused)) fib_4_ends(long *ek_value, int n) {
  (void)n;
#line 5 "procedures.c"
  if (!(n < 2)) return 0;
#line 5 "procedures.c"
  *ek_value = (n);
  return 1;
}
#line 4 "procedures.c"
static ek_next EK_ALIGNED fib_4_run(ek_self *me) {
  struct fib_4 *const F = (struct fib_4 *)me->frame;
  const int n = F->n;
  switch (me->at) { case 1: goto c1; }
#line 4 "procedures.c"
{
  if (n < 2) { *F->result = n; return EK_END; }
  ;
  { if (!ek_may_do(me) || !fib_4_ends(&F->x, n - 1)) ek_invoke(me, &fib_4, &(struct fib_4){.n = n - 1, .result = &F->x}); }

  { if (!ek_may_do(me) || !fib_4_ends(&F->y, n - 2)) ek_invoke(me, &fib_4, &(struct fib_4){.n = n - 2, .result = &F->y}); }

EK_YIELD(me, 1, EK_WAIT); c1:;
  { *F->result = F->x + F->y; return EK_END; } /* both are there */
}
  return EK_END;
}
static const ek_cbb fib_4_cbbs[] = {{4, 1, 0}, {11, 1, 0}};
static const ek_proc fib_4 = {.name = "fib_4", .file = "procedures.c", .run = fib_4_run, .frame_bytes = sizeof(struct fib_4),
  .cbbs = fib_4_cbbs, .count = 2};
EK_GENERATED_END
#line 13 "procedures.c"


/* Called where nobody makes a task of it: the frame lies in the caller's memory. */
#line 16 "procedures.c"
static void two(int n, long *to) {
  long sum = fib(n);
  *to = sum;
}
EK_GENERATED_BEGIN
/* codelets of two(), line 16 */
#line 16 "procedures.c"
struct two_16 {
  int n;
  long *to;
};
struct two_16_own {
  long sum;
  struct fib_4 fib_4;
};
static const ek_proc two_16;
#line 16 "procedures.c"
static ek_next EK_ALIGNED two_16_run(ek_self *me) {
  struct two_16 *const F = (struct two_16 *)me->frame;
  struct two_16_own *const I = (struct two_16_own *)me->own;
  const int n = F->n;
  long *const to = F->to;
  switch (me->at) { case 1: goto c1; }
#line 16 "procedures.c"
{
  { I->fib_4 = (struct fib_4){.n = n, .result = &I->sum}; c1: EK_GO_ON(me, 1, &fib_4, &I->fib_4, NULL, &I->fib_4.at); }
  *to = I->sum;
}
  return EK_END;
}
static const ek_cbb two_16_cbbs[] = {{16, 1, 0}, {17, 1, 0}};
static const ek_proc two_16 = {.name = "two_16", .file = "procedures.c", .run = two_16_run, .frame_bytes = sizeof(struct two_16), .own_bytes = sizeof(struct two_16_own),
  .cbbs = two_16_cbbs, .count = 2};
EK_GENERATED_END
#line 19 "procedures.c"


struct node { struct node *left, *right; long sum; };

/* Of a task that does more, its statement is a procedure. Below the depth it stays calls: a recursion without tasks. */
#line 24 "procedures.c"
static long add(struct node *t, int depth) {
  if (t == NULL) return 0;
  long part[2] = {0, 0};
  if (depth == 0) return t->sum + add(t->left, 0) + add(t->right, 0);
#pragma omp task shared(part) firstprivate(t)
  {
    struct node *next = t->left;
    part[0] = add(next, depth - 1);
  }
#pragma omp task shared(part) firstprivate(t)
  part[1] = add(t->right, depth - 1);
#pragma omp taskwait
  return t->sum + part[0] + part[1];
}
EK_GENERATED_BEGIN
/* codelets of add(), line 24 */
#line 24 "procedures.c"
struct add_24 {
  struct node *t;
  int depth;
  long *result;
  long part[2];
  uint32_t at;
};
static const ek_proc add_24;

/* codelets of add(), line 28 */
#line 28 "procedures.c"
struct add_28 {
  struct node *t;
  long *part;
  int depth;
};
struct add_28_own {
  struct add_24 add_24;
};
static const ek_proc add_28;
#line 24 "procedures.c"
static ek_next EK_ALIGNED add_24_run(ek_self *me) {
  struct add_24 *const F = (struct add_24 *)me->frame;
  struct node *const t = F->t;
  const int depth = F->depth;
  switch (me->at) { case 1: goto c1; }
#line 24 "procedures.c"
{
  if (t == NULL) { *F->result = 0; return EK_END; }
  __builtin_memset((void *)&F->part, 0, sizeof F->part);
  if (depth == 0) { *F->result = (t->sum + add(t->left, 0) + add(t->right, 0)); return EK_END; }
  ek_invoke(me, &add_28, &(struct add_28){.t = t, .part = F->part, .depth = depth});




  ek_invoke(me, &add_24, &(struct add_24){.t = t->right, .depth = depth - 1, .result = &F->part[1]});

EK_YIELD(me, 1, EK_WAIT); c1:;
  { *F->result = t->sum + F->part[0] + F->part[1]; return EK_END; }
}
  return EK_END;
}
static const ek_cbb add_24_cbbs[] = {{24, 1, 0}, {35, 1, 0}};
static const ek_proc add_24 = {.name = "add_24", .file = "procedures.c", .run = add_24_run, .frame_bytes = sizeof(struct add_24),
  .cbbs = add_24_cbbs, .count = 2};
#line 28 "procedures.c"
static ek_next EK_ALIGNED add_28_run(ek_self *me) {
  struct add_28 *const F = (struct add_28 *)me->frame;
  struct add_28_own *const I = (struct add_28_own *)me->own;
  struct node *const t = F->t;
  const int depth = F->depth;
  long *const part = F->part;
  switch (me->at) { case 1: goto c1; }
#line 29 "procedures.c"
  {
    struct node *next = t->left;
    { I->add_24 = (struct add_24){.t = next, .depth = depth - 1, .result = &part[0]}; c1: EK_GO_ON(me, 1, &add_24, &I->add_24, NULL, &I->add_24.at); }
  }
  return EK_END;
}
static const ek_cbb add_28_cbbs[] = {{28, 1, 0}, {31, 1, 0}};
static const ek_proc add_28 = {.name = "add_28", .file = "procedures.c", .run = add_28_run, .frame_bytes = sizeof(struct add_28), .own_bytes = sizeof(struct add_28_own),
  .cbbs = add_28_cbbs, .count = 2};
EK_GENERATED_END
#line 37 "procedures.c"


static int all_40_on(long *to, int n, struct node *t);
#line 39 "procedures.c"
void all(struct node *t, int n, long *to) {
if (all_40_on(to, n, t)) ; else
#line 40 "procedures.c"
#pragma omp parallel
#pragma omp single
  {
    to[0] = fib(n);
#pragma omp task
    two(n, &to[1]);
    to[2] = add(t, n);
  }
}
EK_GENERATED_BEGIN
/* codelets of all(), line 40 */
#line 40 "procedures.c"
struct all_40 {
  long *to;
  int n;
  struct node *t;
};
struct all_40_own {
  struct fib_4 fib_4;
  struct add_24 add_24;
};
#line 40 "procedures.c"
static ek_next EK_ALIGNED all_40_run(ek_self *me) {
  struct all_40 *const F = (struct all_40 *)me->frame;
  struct all_40_own *const I = (struct all_40_own *)me->own;
  struct node *const t = F->t;
  const int n = F->n;
  long *const to = F->to;
  switch (me->at) { case 1: goto c1; case 2: goto c2; case 3: goto c3; }
#line 41 "procedures.c"
{ if (ek_single(me))
  {
    { I->fib_4 = (struct fib_4){.n = n, .result = &to[0]}; c1: EK_GO_ON(me, 1, &fib_4, &I->fib_4, NULL, &I->fib_4.at); }
    ek_invoke(me, &two_16, &(struct two_16){.n = n, .to = &to[1]});

    { I->add_24 = (struct add_24){.t = t, .depth = n, .result = &to[2]}; c2: EK_GO_ON(me, 2, &add_24, &I->add_24, NULL, &I->add_24.at); }
  } EK_YIELD(me, 3, EK_SYNC); c3:; }
  return EK_END;
}
static const ek_cbb all_40_cbbs[] = {{40, 1, 0}, {43, 1, 0}, {46, 1, 0}, {47, 1, 0}};
static const ek_proc all_40 = {.name = "all_40", .file = "procedures.c", .run = all_40_run, .frame_bytes = sizeof(struct all_40), .own_bytes = sizeof(struct all_40_own),
  .cbbs = all_40_cbbs, .count = 4, .flags = EK_PINNED};
static int all_40_on(long *to, int n, struct node *t) {
  if (!ek_on_for_region()) return 0;
  struct all_40 F = {.to = to, .n = n, .t = t};
  ek_run(&all_40, &F, 0);
  return 1;
}
EK_GENERATED_END
#line 48 "procedures.c"

