#line 1 "marks.c"
/* Words that neither compiler knows: taken out of what is compiled, and explained. */
static void add(int n, int *x) {
                    
#pragma omp for
  for (int i = 0; i < n; i++) x[i]++;
}

#define EK_WITHOUT_OMP_H
#include <einkorn/codelet.h>
static int marked_9_on(int n, int *x, int *sum);
#line 8 "marks.c"
void marked(int n, int *x, int *sum) {
if (marked_9_on(n, x, sum)) ; else
#line 9 "marks.c"
#pragma omp parallel
  {
                      // a loop
#pragma omp for nowait
    for (int i = 0; i < n; i++) x[i] += i;
#pragma omp single        
    *sum = 0;
#pragma omp for schedule(static)         , nowait
    for (int i = 0; i < n; i++) x[i] *= 2;
    add(n, x);
  }
                    
  *sum = x[0];
#pragma omp target teams distribute parallel for        
  for (int i = 0; i < n; i++) x[i] = i;
}
EK_GENERATED_BEGIN
/* codelets of marked(), line 9 */
#line 9 "marks.c"
struct marked_9 {
  int n;
  int *x;
  int *sum;
};
#line 9 "marks.c"
static ek_next EK_ALIGNED marked_9_run(ek_self *me) {
  struct marked_9 *const F = (struct marked_9 *)me->frame;
  const int n = F->n;
  int *const x = F->x;
  int *const sum = F->sum;
  switch (me->at) { case 1: goto c1; }
#line 10 "marks.c"
  {
                      // a loop
{ int64_t from, to; if (ek_static(me, 0, n, &from, &to)) 
    for (int i = from; i < (int)to; i++) x[i] += i; }
{ if (ek_single(me))
    *sum = 0; EK_YIELD(me, 1, EK_SYNC); c1:; }
{ int64_t from, to; if (ek_static(me, 0, n, &from, &to)) 
    for (int i = from; i < (int)to; i++) x[i] *= 2; }
    add(n, x);
  }
  return EK_END;
}
static const ek_cbb marked_9_cbbs[] = {{9, 1, 0}, {15, 1, 0}};
static const ek_proc marked_9 = {.name = "marked_9", .file = "marks.c", .run = marked_9_run, .frame_bytes = sizeof(struct marked_9),
  .cbbs = marked_9_cbbs, .count = 2, .flags = EK_PINNED};
static int marked_9_on(int n, int *x, int *sum) {
  if (!ek_on_for_region()) return 0;
  struct marked_9 F = {.n = n, .x = x, .sum = sum};
  ek_run(&marked_9, &F, 0);
  return 1;
}
EK_GENERATED_END
#line 24 "marks.c"

