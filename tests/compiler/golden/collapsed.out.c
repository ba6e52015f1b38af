#line 1 "collapsed.c"
/* Which iteration of collapsed loops is the last one. */
#define EK_WITHOUT_OMP_H
#include <einkorn/codelet.h>
static int of_rows_4_on(int *i, int n, int *j, int *x);
static int of_rows_7_on(int *j, int *x, int n);
#line 2 "collapsed.c"
int of_rows(int n, int *last) {
  int i, j, x = 0;
if (of_rows_4_on(&i, n, &j, &x)) ; else
#line 4 "collapsed.c"
#pragma omp parallel for collapse(2) lastprivate(i, j, x)
  for (i = 0; i < n; i++)
    for (j = n; j > 0; j -= 2) x = i * j;
if (of_rows_7_on(&j, &x, n)) ; else
#line 7 "collapsed.c"
#pragma omp parallel
  {
#pragma omp for collapse(2) schedule(dynamic, 4) lastprivate(j, x) nowait
    for (i = n; i >= 0; i--)
      for (j = 0; j < 3 * i; j += n) {
        if (j == 7) continue;
        x = i + j;
      }
  }
  *last = x;
  return i + j;
}
EK_GENERATED_BEGIN
/* codelets of of_rows(), line 4 */
#line 4 "collapsed.c"
struct of_rows_4 {
  int *i;
  int n;
  int *j;
  int *x;
};
#line 4 "collapsed.c"
static ek_next EK_ALIGNED of_rows_4_run(ek_self *me) {
  struct of_rows_4 *const F = (struct of_rows_4 *)me->frame;
  const int n = F->n;
  int i;
  int j;
  int x;
#line 5 "collapsed.c"
  
#pragma omp for nowait collapse(2)
#line 5
for (i = 0; i < n; i++)
    for (j = n; j > 0; j -= 2) { do { x = i * j; } while (0); if ((uint64_t)j - (uint64_t)0 <= (uint64_t)2 && (uint64_t)n - (uint64_t)i <= (uint64_t)1) { *F->i = i + 1; *F->j = j - 2; *F->x = x; } }
  return EK_END;
}
static const ek_cbb of_rows_4_cbbs[] = {{4, 1, 0}};
static const ek_proc of_rows_4 = {.name = "of_rows_4", .file = "collapsed.c", .run = of_rows_4_run, .frame_bytes = sizeof(struct of_rows_4),
  .cbbs = of_rows_4_cbbs, .count = 1, .flags = EK_FREE};
static int of_rows_4_on(int *i, int n, int *j, int *x) {
  if (!ek_on_for_region()) return 0;
  struct of_rows_4 F = {.i = i, .n = n, .j = j, .x = x};
  ek_run(&of_rows_4, &F, 0);
  return 1;
}

/* codelets of of_rows(), line 7 */
#line 7 "collapsed.c"
struct of_rows_7 {
  int *j;
  int *x;
  int n;
};
#line 7 "collapsed.c"
static ek_next EK_ALIGNED of_rows_7_run(ek_self *me) {
  struct of_rows_7 *const F = (struct of_rows_7 *)me->frame;
  const int n = F->n;
#line 8 "collapsed.c"
  {
{ int j; int x; int i; 
    
#pragma omp for nowait collapse(2) schedule(dynamic, 4)
#line 10
for (i = n; i >= 0; i--)
      for (j = 0; j < 3 * i; j += n) { do { {
        if (j == 7) continue;
        x = i + j;
      } } while (0); if ((uint64_t)(3 * i) - (uint64_t)j <= (uint64_t)n) { int ek_more = 0; { int ek_row = i; int i = ek_row; while (!ek_more && !((uint64_t)i - (uint64_t)0 < (uint64_t)1)) { i -= 1; ek_more = (int)0 < (3 * i); } } if (!ek_more) { *F->j = j + n; *F->x = x; } } } }
  }
  return EK_END;
}
static const ek_cbb of_rows_7_cbbs[] = {{7, 1, 0}};
static const ek_proc of_rows_7 = {.name = "of_rows_7", .file = "collapsed.c", .run = of_rows_7_run, .frame_bytes = sizeof(struct of_rows_7),
  .cbbs = of_rows_7_cbbs, .count = 1, .flags = EK_FREE};
static int of_rows_7_on(int *j, int *x, int n) {
  if (!ek_on_for_region()) return 0;
  struct of_rows_7 F = {.j = j, .x = x, .n = n};
  ek_run(&of_rows_7, &F, 0);
  return 1;
}
EK_GENERATED_END
#line 18 "collapsed.c"


/* gcc takes this no more from 14 on. */
int hidden(int n) {
  int last = -1;
#pragma omp parallel for collapse(2) lastprivate(last)
  for (int i = 0; i < n; i++)
    for (int i = 0; i < 4; i++) last = i;
  return last;
}
