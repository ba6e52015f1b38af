#line 1 "lengths.c"
/* Arrays of variable length: by their elements, or with lengths that the frame has. */
#define EK_WITHOUT_OMP_H
#include <einkorn/codelet.h>
static int lengths_4_on(int n, double *row, int *x);
static int lengths_6_on(int n, double *table, double *row, size_t ek_length0_table, size_t ek_length1_table);
static int lengths_8_on(double *row, size_t ek_length0_part);
static int lengths_10_on(int *x, double *row, size_t ek_length0_row);
#line 2 "lengths.c"
double lengths(int n, int *x) {
  double row[n], table[n][n], part[n];
if (lengths_4_on(n, row, x)) ; else
#line 4 "lengths.c"
#pragma omp parallel for shared(row)
  for (int i = 0; i < n; i++) row[i] = x[i];
if (lengths_6_on(n, (double *)table, row, sizeof(table) / sizeof(table[0]), sizeof(table[0]) / sizeof(table[0][0]))) ; else
#line 6 "lengths.c"
#pragma omp parallel for
  for (int i = 0; i < n; i++) table[0][i] = row[i];
if (lengths_8_on(row, sizeof(part) / sizeof(part[0]))) ; else
#line 8 "lengths.c"
#pragma omp parallel private(part)
  part[0] = row[0];
if (lengths_10_on(x, (double *)row, sizeof(row) / sizeof(row[0]))) ; else
#line 10 "lengths.c"
#pragma omp parallel
  x[0] = (int)sizeof row;
  return row[n - 1] + table[0][0];
}
EK_GENERATED_BEGIN
/* codelets of lengths(), line 4 */
#line 4 "lengths.c"
struct lengths_4 {
  int n;
  double *row;
  int *x;
};
#line 4 "lengths.c"
static ek_next EK_ALIGNED lengths_4_run(ek_self *me) {
  struct lengths_4 *const F = (struct lengths_4 *)me->frame;
  const int n = F->n;
  int *const x = F->x;
  double *const row = F->row;
#line 5 "lengths.c"
  int64_t from, to; if (ek_static(me, 0, n, &from, &to)) for (int i = from; i < (int)to; i++) row[i] = x[i];
  return EK_END;
}
static const ek_cbb lengths_4_cbbs[] = {{4, 1, 0}};
static const ek_proc lengths_4 = {.name = "lengths_4", .file = "lengths.c", .run = lengths_4_run, .frame_bytes = sizeof(struct lengths_4),
  .cbbs = lengths_4_cbbs, .count = 1, .flags = EK_FREE | EK_LOOP | EK_WHOLE};
static int lengths_4_on(int n, double *row, int *x) {
  if (!ek_on_for_region()) return 0;
  struct lengths_4 F = {.n = n, .row = row, .x = x};
  static ek_loop ek_known;
  ek_run_loop(&lengths_4, &F, 0, n, &ek_known);
  return 1;
}

/* codelets of lengths(), line 6 */
#line 6 "lengths.c"
struct lengths_6 {
  int n;
  double *table;
  double *row;
  size_t ek_length0_table;
  size_t ek_length1_table;
};
#line 6 "lengths.c"
static ek_next EK_ALIGNED lengths_6_run(ek_self *me) {
  struct lengths_6 *const F = (struct lengths_6 *)me->frame;
  const int n = F->n;
  double *const row = F->row;
  double (*const table)[F->ek_length0_table][F->ek_length1_table] = (double (*)[F->ek_length0_table][F->ek_length1_table])F->table;
#line 7 "lengths.c"
  int64_t from, to; if (ek_static(me, 0, n, &from, &to)) for (int i = from; i < (int)to; i++) (*table)[0][i] = row[i];
  return EK_END;
}
static const ek_cbb lengths_6_cbbs[] = {{6, 1, 0}};
static const ek_proc lengths_6 = {.name = "lengths_6", .file = "lengths.c", .run = lengths_6_run, .frame_bytes = sizeof(struct lengths_6),
  .cbbs = lengths_6_cbbs, .count = 1, .flags = EK_FREE | EK_LOOP | EK_WHOLE};
static int lengths_6_on(int n, double *table, double *row, size_t ek_length0_table, size_t ek_length1_table) {
  if (!ek_on_for_region()) return 0;
  struct lengths_6 F = {.n = n, .table = table, .row = row, .ek_length0_table = ek_length0_table, .ek_length1_table = ek_length1_table};
  static ek_loop ek_known;
  ek_run_loop(&lengths_6, &F, 0, n, &ek_known);
  return 1;
}

/* codelets of lengths(), line 8 */
#line 8 "lengths.c"
struct lengths_8 {
  double *row;
  size_t ek_length0_part;
};
#line 8 "lengths.c"
static ek_next EK_ALIGNED lengths_8_run(ek_self *me) {
  struct lengths_8 *const F = (struct lengths_8 *)me->frame;
  double *const row = F->row;
  double part[F->ek_length0_part];
#line 9 "lengths.c"
  part[0] = row[0];
  return EK_END;
}
static const ek_cbb lengths_8_cbbs[] = {{8, 1, 0}};
static const ek_proc lengths_8 = {.name = "lengths_8", .file = "lengths.c", .run = lengths_8_run, .frame_bytes = sizeof(struct lengths_8),
  .cbbs = lengths_8_cbbs, .count = 1, .flags = EK_FREE};
static int lengths_8_on(double *row, size_t ek_length0_part) {
  if (!ek_on_for_region()) return 0;
  struct lengths_8 F = {.row = row, .ek_length0_part = ek_length0_part};
  ek_run(&lengths_8, &F, 0);
  return 1;
}

/* codelets of lengths(), line 10 */
#line 10 "lengths.c"
struct lengths_10 {
  int *x;
  double *row;
  size_t ek_length0_row;
};
#line 10 "lengths.c"
static ek_next EK_ALIGNED lengths_10_run(ek_self *me) {
  struct lengths_10 *const F = (struct lengths_10 *)me->frame;
  int *const x = F->x;
  double (*const row)[F->ek_length0_row] = (double (*)[F->ek_length0_row])F->row;
#line 11 "lengths.c"
  x[0] = (int)sizeof (*row);
  return EK_END;
}
static const ek_cbb lengths_10_cbbs[] = {{10, 1, 0}};
static const ek_proc lengths_10 = {.name = "lengths_10", .file = "lengths.c", .run = lengths_10_run, .frame_bytes = sizeof(struct lengths_10),
  .cbbs = lengths_10_cbbs, .count = 1, .flags = EK_FREE};
static int lengths_10_on(int *x, double *row, size_t ek_length0_row) {
  if (!ek_on_for_region()) return 0;
  struct lengths_10 F = {.x = x, .row = row, .ek_length0_row = ek_length0_row};
  ek_run(&lengths_10, &F, 0);
  return 1;
}
EK_GENERATED_END
#line 13 "lengths.c"


/* What a taskloop gives back. */
static int given_back_18_on(int *last, int *sum, int n);
#line 16 "lengths.c"
int given_back(int n) {
  int last = 0, sum = 0;
if (given_back_18_on(&last, &sum, n)) ; else
#line 18 "lengths.c"
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop lastprivate(last) reduction(+ : sum)
    for (int i = 0; i < n; i++) last = i, sum += i;
  }
  return last + sum;
}
EK_GENERATED_BEGIN
/* codelets of given_back(), line 18 */
#line 18 "lengths.c"
struct given_back_18 {
  int *last;
  int *sum;
  int n;
};
#line 18 "lengths.c"
static ek_next EK_ALIGNED given_back_18_run(ek_self *me) {
  struct given_back_18 *const F = (struct given_back_18 *)me->frame;
  const int n = F->n;
  switch (me->at) { case 1: goto c1; }
#line 19 "lengths.c"
{ if (ek_single(me))
  {
{ const int ek_any = (int)0 < n; int last = *F->last; int sum = *F->sum; 
#line 21
#pragma omp taskloop lastprivate(last) reduction(+ : sum)
    for (int i = 0; i < n; i++) last = i, sum += i; if (ek_any) *F->last = last; *F->sum = sum; }
  } EK_YIELD(me, 1, EK_SYNC); c1:; }
  return EK_END;
}
static const ek_cbb given_back_18_cbbs[] = {{18, 1, 0}, {23, 1, 0}};
static const ek_proc given_back_18 = {.name = "given_back_18", .file = "lengths.c", .run = given_back_18_run, .frame_bytes = sizeof(struct given_back_18),
  .cbbs = given_back_18_cbbs, .count = 2, .flags = EK_PINNED};
static int given_back_18_on(int *last, int *sum, int n) {
  if (!ek_on_for_region()) return 0;
  struct given_back_18 F = {.last = last, .sum = sum, .n = n};
  ek_run(&given_back_18, &F, 0);
  return 1;
}
EK_GENERATED_END
#line 25 "lengths.c"

