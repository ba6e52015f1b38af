#line 1 "replayed.c"
#include <einkorn/taskgraph.h>
static ompx_taskgraph ek_taskgraph_13 = OMPX_TASKGRAPH_NAMED("replayed.c:13");
#line 1
/* What is in a taskgraph stays tasks and calls: with procedures it would not be replayed. A region stays OpenMP's in which
 * a task shares what a worksharing construct has its own of, as it may run at the end of that. */
#include <einkorn/codelet.h>
#line 3 "replayed.c"
static void wait(long *x, int n) {
#pragma omp task
  *x += n;
#pragma omp taskwait
}
EK_GENERATED_BEGIN
/* codelets of wait(), line 3 */
#line 3 "replayed.c"
struct wait_3 {
  long *x;
  int n;
  uint32_t at;
};
static const ek_proc wait_3;
#line 3 "replayed.c"
static ek_next EK_ALIGNED wait_3_run(ek_self *me) {
  struct wait_3 *const F = (struct wait_3 *)me->frame;
  long *const x = F->x;
  const int n = F->n;
  switch (me->at) { case 1: goto c1; }
#line 3 "replayed.c"
{
#pragma omp task
  *x += n;
EK_YIELD(me, 1, EK_WAIT); c1:;
}
  return EK_END;
}
static const ek_cbb wait_3_cbbs[] = {{3, 1, 0}, {6, 1, 0}};
static const ek_proc wait_3 = {.name = "wait_3", .file = "replayed.c", .run = wait_3_run, .frame_bytes = sizeof(struct wait_3),
  .cbbs = wait_3_cbbs, .count = 2};
EK_GENERATED_END
#line 7 "replayed.c"


static int replayed_10_on(int n, long *x);
#line 9 "replayed.c"
long replayed(long *x, int n) {
if (replayed_10_on(n, x)) ; else
#line 10 "replayed.c"
#pragma omp parallel
#pragma omp single
  for (int step = 0; step < n; step++) {
OMPX_TASKGRAPH(&ek_taskgraph_13, 0, 0)
    {
#pragma omp task
      wait(x, n);
#pragma omp task
      {
#pragma omp task
        wait(x, n);
      }
      wait(x + 1, n);
    }
#pragma omp task
    wait(x, n);
    wait(x + 1, n);
#pragma omp taskwait
  }
  return x[1];
}
EK_GENERATED_BEGIN
/* codelets of replayed(), line 10 */
#line 10 "replayed.c"
struct replayed_10 {
  int n;
  long *x;
};
struct replayed_10_own {
  int step;
  struct wait_3 wait_3;
};
#line 10 "replayed.c"
static ek_next EK_ALIGNED replayed_10_run(ek_self *me) {
  struct replayed_10 *const F = (struct replayed_10 *)me->frame;
  struct replayed_10_own *const I = (struct replayed_10_own *)me->own;
  long *const x = F->x;
  const int n = F->n;
  switch (me->at) { case 1: goto c1; case 2: goto c2; }
#line 11 "replayed.c"
{ if (ek_single(me))
  for (int step = 0; step < n; step++) {
OMPX_TASKGRAPH(&ek_taskgraph_13, 0, 0)
    {
#pragma omp task
      wait(x, n);
#pragma omp task
      {
#pragma omp task
        wait(x, n);
      }
      wait(x + 1, n);
    }
    ek_invoke(me, &wait_3, &(struct wait_3){.x = x, .n = n});

    { I->step = step; I->wait_3 = (struct wait_3){.x = x + 1, .n = n}; c1: EK_GO_ON(me, 1, &wait_3, &I->wait_3, NULL, &I->wait_3.at); step = I->step; }
#pragma omp taskwait
  } EK_YIELD(me, 2, EK_SYNC); c2:; }
  return EK_END;
}
static const ek_cbb replayed_10_cbbs[] = {{10, 1, 0}, {26, 1, 0}, {28, 1, 0}};
static const ek_proc replayed_10 = {.name = "replayed_10", .file = "replayed.c", .run = replayed_10_run, .frame_bytes = sizeof(struct replayed_10), .own_bytes = sizeof(struct replayed_10_own),
  .cbbs = replayed_10_cbbs, .count = 3, .flags = EK_PINNED};
static int replayed_10_on(int n, long *x) {
  if (!ek_on_for_region()) return 0;
  struct replayed_10 F = {.n = n, .x = x};
  ek_run(&replayed_10, &F, 0);
  return 1;
}
EK_GENERATED_END
#line 30 "replayed.c"


long shared_at_the_end(long x) {
  long sum = 0;
#pragma omp parallel
#pragma omp single private(x)
  {
    x = 1;
#pragma omp task shared(x, sum)
    sum = x;
  }
  return sum;
}
