#line 1 "daxpy.c"
#include <omp.h>
#include <stdlib.h>

/* The example of the paper: a single, a barrier, a loop. */
#include <einkorn/codelet.h>
static int daxpy_7_on(int N, double *x, double *y, double a);
#line 5 "daxpy.c"
void daxpy(int N, double a, double *x, double *y) {
  int id;
  if (daxpy_7_on(N, x, y, a)) ; else
#line 7 "daxpy.c"
  #pragma omp parallel private(id)
  {
    id = omp_get_thread_num();
    #pragma omp single nowait
    for (int i = 0; i < N; i++) x[i] = rand();
    #pragma omp barrier
    #pragma omp for
    for (int i = 0; i < N; i++) y[i] += a * x[i] + id; /* id lives over the barrier */
  }
}
EK_GENERATED_BEGIN
/* codelets of daxpy(), line 7 */
#line 7 "daxpy.c"
struct daxpy_7 {
  int N;
  double *x;
  double *y;
  double a;
};
struct daxpy_7_own {
  int id;
};
#line 7 "daxpy.c"
static ek_next EK_ALIGNED daxpy_7_run(ek_self *me) {
  struct daxpy_7 *const F = (struct daxpy_7 *)me->frame;
  struct daxpy_7_own *const I = (struct daxpy_7_own *)me->own;
  const int N = F->N;
  const double a = F->a;
  double *const x = F->x;
  double *const y = F->y;
  int id;
  switch (me->at) { case 1: goto c1; }
#line 8 "daxpy.c"
  {
    id = omp_get_thread_num();
    if (ek_single(me))
    for (int i = 0; i < N; i++) x[i] = rand();
    I->id = id; EK_YIELD(me, 1, EK_SYNC); c1: id = I->id;
    { int64_t from, to; if (ek_static(me, 0, N, &from, &to)) 
    for (int i = from; i < (int)to; i++) y[i] += a * x[i] + id; } /* id lives over the barrier */
  }
  return EK_END;
}
static const ek_cbb daxpy_7_cbbs[] = {{7, 1, 0}, {12, 1, 0}};
static const ek_proc daxpy_7 = {.name = "daxpy_7", .file = "daxpy.c", .run = daxpy_7_run, .frame_bytes = sizeof(struct daxpy_7), .own_bytes = sizeof(struct daxpy_7_own),
  .cbbs = daxpy_7_cbbs, .count = 2, .flags = EK_FREE};
static int daxpy_7_on(int N, double *x, double *y, double a) {
  if (!ek_on_for_region()) return 0;
  struct daxpy_7 F = {.N = N, .x = x, .y = y, .a = a};
  ek_run(&daxpy_7, &F, 0);
  return 1;
}
EK_GENERATED_END
#line 16 "daxpy.c"

