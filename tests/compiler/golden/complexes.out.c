#line 1 "complexes.c"
#include <omp.h>
#include <stdlib.h>

/* `--target complexes`: each codelet is a function, whatever loops and branches the barriers are in. */
#include <einkorn/codelet.h>
static int sums_8_on(int N, double *x, int *again, double *y, double a, long *all);
#line 5 "complexes.c"
long sums(int N, double a, double *x, double *y, int *again) {
  int id;
  long all = 0;
  if (sums_8_on(N, x, again, y, a, &all)) ; else
#line 8 "complexes.c"
  #pragma omp parallel private(id) reduction(+ : all)
  {
    id = omp_get_thread_num();
    #pragma omp single nowait
    for (int i = 0; i < N; i++) x[i] = rand();
    while (*again > 0) {
      long mine = id; /* lives over one of two sync points */
      #pragma omp barrier
      if (N > 1) {
        #pragma omp for
        for (int i = 0; i < N; i++) y[i] += a * x[i] + id;
      }
      all += mine;
      #pragma omp single
      --*again;
    }
  }
  return all;
}
EK_GENERATED_BEGIN
/* codelets of sums(), line 8 */
#line 8 "complexes.c"
struct sums_8 {
  int N;
  double *x;
  int *again;
  double *y;
  double a;
  long *all;
  int *ek_ran;
};
struct sums_8_own {
  int id;
  long all;
  long mine;
};
static ek_successor sums_8_0(ek_self *me), sums_8_1(ek_self *me), sums_8_2(ek_self *me), sums_8_3(ek_self *me);
static const ek_complex_codelet sums_8_codelets[] = {{sums_8_0, 8}, {NULL, 15}, {sums_8_1, 15}, {NULL, 18}, {sums_8_2, 18}, {NULL, 22}, {sums_8_3, 22}};
EK_CUT ek_successor sums_8_text(ek_self *me, const uint32_t ek_entry) {
  struct sums_8 *const F = (struct sums_8 *)me->frame;
  struct sums_8_own *const I = (struct sums_8_own *)me->own;
  const int N = F->N;
  const double a = F->a;
  double *const x = F->x;
  double *const y = F->y;
  int *const again = F->again;
  int id;
  long all = 0;
  switch (ek_entry) { case 1: goto c1; case 2: goto c2; case 3: goto c3; }
#line 9 "complexes.c"
  {
    id = omp_get_thread_num();
    if (ek_single(me))
    for (int i = 0; i < N; i++) x[i] = rand();
    while (*again > 0) {
      long mine = id; /* lives over one of two sync points */
      I->id = id, I->all = all, I->mine = mine; EK_THEN(me, &sums_8_codelets[1]); c1: id = I->id, all = I->all, mine = I->mine;
      if (N > 1) {
        { int64_t from, to; if (ek_static(me, 0, N, &from, &to)) 
        for (int i = from; i < (int)to; i++) y[i] += a * x[i] + id; I->id = id, I->all = all, I->mine = mine; EK_THEN(me, &sums_8_codelets[3]); c2: id = I->id, all = I->all, mine = I->mine; }
      }
      all += mine;
      { if (ek_single(me))
      --*again; I->id = id, I->all = all, I->mine = mine; EK_THEN(me, &sums_8_codelets[5]); c3: id = I->id, all = I->all, mine = I->mine; }
    }
  }
  F->all[me->id] = all;
  if (me->id == 0) *F->ek_ran = (int)me->n;
  EK_THEN(me, NULL);
}
static ek_successor EK_ALIGNED sums_8_0(ek_self *me) { return sums_8_text(me, 0); }
static ek_successor EK_ALIGNED sums_8_1(ek_self *me) { return sums_8_text(me, 1); }
static ek_successor EK_ALIGNED sums_8_2(ek_self *me) { return sums_8_text(me, 2); }
static ek_successor EK_ALIGNED sums_8_3(ek_self *me) { return sums_8_text(me, 3); }
#line 8 "complexes.c"
static ek_next sums_8_run(ek_self *me) { return ek_chain(me, sums_8_codelets); }
static const ek_cbb sums_8_cbbs[] = {{8, 1, 0}, {15, 2, 0}, {15, 1, 0}, {18, 2, 0}, {18, 1, 0}, {22, 2, 0}, {22, 1, 0}};
static const ek_proc sums_8 = {.name = "sums_8", .file = "complexes.c", .run = sums_8_run, .frame_bytes = sizeof(struct sums_8), .own_bytes = sizeof(struct sums_8_own),
  .cbbs = sums_8_cbbs, .count = 7, .flags = EK_FREE | EK_LOCALES};
static int sums_8_on(int N, double *x, int *again, double *y, double a, long *all) {
  if (!ek_on_for_region()) return 0;
  const int ek_limit = omp_get_max_threads();
  int ek_ran = 0;
  long ek_of_all[ek_limit];
  struct sums_8 F = {.N = N, .x = x, .again = again, .y = y, .a = a, .all = ek_of_all, .ek_ran = &ek_ran};
  ek_run(&sums_8, &F, 0);
  for (int ek_i = 0; ek_i < ek_ran; ek_i++) *all += ek_of_all[ek_i];
  return 1;
}
EK_GENERATED_END
#line 26 "complexes.c"


/* Tasks stay OpenMP's, and so does what waits for them. */
static long fib(int n) {
  if (n < 2) return n;
  long one, two;
  #pragma omp task shared(one)
  one = fib(n - 1);
  two = fib(n - 2);
  #pragma omp taskwait
  return one + two;
}

static int tree_41_on(long *result, int n);
#line 39 "complexes.c"
long tree(int n) {
  long result = 0;
  if (tree_41_on(&result, n)) ; else
#line 41 "complexes.c"
  #pragma omp parallel
  #pragma omp single
  {
    #pragma omp task shared(result)
    result = fib(n);
  }
  return result;
}
EK_GENERATED_BEGIN
/* codelets of tree(), line 41 */
#line 41 "complexes.c"
struct tree_41 {
  long *result;
  int n;
};
static ek_successor tree_41_0(ek_self *me), tree_41_1(ek_self *me);
static const ek_complex_codelet tree_41_codelets[] = {{tree_41_0, 41}, {NULL, 46}, {tree_41_1, 46}};
EK_CUT ek_successor tree_41_text(ek_self *me, const uint32_t ek_entry) {
  struct tree_41 *const F = (struct tree_41 *)me->frame;
  const int n = F->n;
  long *const result = F->result;
  switch (ek_entry) { case 1: goto c1; }
#line 42 "complexes.c"
  { if (ek_single(me))
  {
    #pragma omp task 
    (*result) = fib(n);
  } EK_THEN(me, &tree_41_codelets[1]); c1:; }
  EK_THEN(me, NULL);
}
static ek_successor EK_ALIGNED tree_41_0(ek_self *me) { return tree_41_text(me, 0); }
static ek_successor EK_ALIGNED tree_41_1(ek_self *me) { return tree_41_text(me, 1); }
#line 41 "complexes.c"
static ek_next tree_41_run(ek_self *me) { return ek_chain(me, tree_41_codelets); }
static const ek_cbb tree_41_cbbs[] = {{41, 1, 0}, {46, 2, 0}, {46, 1, 0}};
static const ek_proc tree_41 = {.name = "tree_41", .file = "complexes.c", .run = tree_41_run, .frame_bytes = sizeof(struct tree_41),
  .cbbs = tree_41_cbbs, .count = 3, .flags = EK_PINNED};
static int tree_41_on(long *result, int n) {
  if (!ek_on_for_region()) return 0;
  struct tree_41 F = {.result = result, .n = n};
  ek_run(&tree_41, &F, 0);
  return 1;
}
EK_GENERATED_END
#line 48 "complexes.c"

