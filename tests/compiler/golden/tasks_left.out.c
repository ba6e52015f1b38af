#line 1 "tasks_left.c"
/* Tasks that stay OpenMP's, each for another reason; their functions are procedures as far as they can be. */
#include <omp.h>
#include <stddef.h>

extern int ask(int);
static long counter;
#pragma omp threadprivate(counter)

#include <einkorn/codelet.h>
#line 9 "tasks_left.c"
static void wait(long *x, int n) {
#pragma omp task
  x[n] = n;
#pragma omp taskwait
}
EK_GENERATED_BEGIN
/* codelets of wait(), line 9 */
#line 9 "tasks_left.c"
struct wait_9 {
  long *x;
  int n;
};
static const ek_proc wait_9;
#line 9 "tasks_left.c"
static ek_next EK_ALIGNED wait_9_run(ek_self *me) {
  struct wait_9 *const F = (struct wait_9 *)me->frame;
  long *const x = F->x;
  const int n = F->n;
  switch (me->at) { case 1: goto c1; }
#line 9 "tasks_left.c"
{
#pragma omp task
  x[n] = n;
EK_YIELD(me, 1, EK_WAIT); c1:;
}
  return EK_END;
}
static const ek_cbb wait_9_cbbs[] = {{9, 1, 0}, {12, 1, 0}};
static const ek_proc wait_9 = {.name = "wait_9", .file = "tasks_left.c", .run = wait_9_run, .frame_bytes = sizeof(struct wait_9),
  .cbbs = wait_9_cbbs, .count = 2};
EK_GENERATED_END
#line 13 "tasks_left.c"

static void tied(long *x, int n) {
  const int here = omp_get_thread_num();
#pragma omp task
  x[n] = n;
#pragma omp taskwait
  x[here] = n;
}
static void counted(long *x, int n) {
  counter = n;
#pragma omp taskwait
  x[n] = counter;
}
static void halves(long *x, int n) {
  if (n < 8) {
    for (int i = 0; i < n; i++) x[i] = n;
    return;
  }
#pragma omp task
  halves(x, n / 2);
  halves(x + n / 2, n - n / 2);
#pragma omp taskwait
}
static void plain(long *x, int n) { x[n] = n; }
static int value(long *x, int n) {
  wait(x, n);
  return n;
}
static void lasting(long *x, int n) {
  static int calls;
  calls++;
#pragma omp taskwait
  x[n] = calls;
}

static int left_50_on(long *x, int n, long *wide);
#line 48 "tasks_left.c"
void left(long *x, int n) {
  long wide = 0;
if (left_50_on(x, n, &wide)) ; else
#line 50 "tasks_left.c"
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    wait(x, n);
#pragma omp task priority(2)
    wait(x, n);
#pragma omp task depend(out : x[0])
    wait(x, n);
#pragma omp task
    tied(x, n);
#pragma omp task
    counted(x, n);
#pragma omp task
    halves(x, n);
#pragma omp task
    plain(x, n);
#pragma omp task
    lasting(x, n);
#pragma omp task
    wait(x, ask(n));
#pragma omp task shared(wide)
    wide = value(x, n);
#pragma omp task
    value(x, n);
#pragma omp task
    {
      long all[64] = {n};
      wait(all, n % 64);
      x[n] += all[0];
    }
  }
}
EK_GENERATED_BEGIN
/* codelets of left(), line 50 */
#line 50 "tasks_left.c"
struct left_50 {
  long *x;
  int n;
  long *wide;
};
#line 50 "tasks_left.c"
static ek_next EK_ALIGNED left_50_run(ek_self *me) {
  struct left_50 *const F = (struct left_50 *)me->frame;
  long *const x = F->x;
  const int n = F->n;
  long *const wide = F->wide;
  switch (me->at) { case 1: goto c1; }
#line 51 "tasks_left.c"
{ if (ek_single(me))
  {
    ek_invoke(me, &wait_9, &(struct wait_9){.x = x, .n = n});

#pragma omp task priority(2)
    wait(x, n);
#pragma omp task depend(out : x[0])
    wait(x, n);
#pragma omp task
    tied(x, n);
#pragma omp task
    counted(x, n);
#pragma omp task
    halves(x, n);
#pragma omp task
    plain(x, n);
#pragma omp task
    lasting(x, n);
#pragma omp task
    wait(x, ask(n));
#pragma omp task 
    (*wide) = value(x, n);
#pragma omp task
    value(x, n);
#pragma omp task
    {
      long all[64] = {n};
      wait(all, n % 64);
      x[n] += all[0];
    }
  } EK_YIELD(me, 1, EK_SYNC); c1:; }
  return EK_END;
}
static const ek_cbb left_50_cbbs[] = {{50, 1, 0}, {81, 1, 0}};
static const ek_proc left_50 = {.name = "left_50", .file = "tasks_left.c", .run = left_50_run, .frame_bytes = sizeof(struct left_50),
  .cbbs = left_50_cbbs, .count = 2, .flags = EK_PINNED};
static int left_50_on(long *x, int n, long *wide) {
  if (!ek_on_for_region()) return 0;
  struct left_50 F = {.x = x, .n = n, .wide = wide};
  ek_run(&left_50, &F, 0);
  return 1;
}
EK_GENERATED_END
#line 82 "tasks_left.c"

