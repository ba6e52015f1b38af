#line 1 "constants.c"
/* Constants that the function declares, also where a macro names them and the file has others of that name. */
enum { ROWS = 3, COLUMNS };
#define ALL (ROWS * COLUMNS)

#define EK_WITHOUT_OMP_H
#include <einkorn/codelet.h>
static int of_function_7_on(int *x);
static int of_function_13_on(int *x);
#line 5 "constants.c"
int of_function(int *x) {
  enum { ROWS = 5, COLUMNS = -ROWS + 12, OTHER = 1 };
if (of_function_7_on(x)) ; else
#line 7 "constants.c"
#pragma omp parallel for
  for (int i = 0; i < ALL; i++) {
    int part[COLUMNS];
    part[0] = i;
    x[i] += part[0];
  }
if (of_function_13_on(x)) ; else
#line 13 "constants.c"
#pragma omp parallel
  {
    enum { OTHER = 2 };
    x[0] = OTHER;
  }
  return ROWS;
}
EK_GENERATED_BEGIN
/* codelets of of_function(), line 7 */
#line 7 "constants.c"
struct of_function_7 {
  int *x;
};
#line 7 "constants.c"
static ek_next EK_ALIGNED of_function_7_run(ek_self *me) {
  struct of_function_7 *const F = (struct of_function_7 *)me->frame;
  enum { ROWS = 5, COLUMNS = 7 };
  int *const x = F->x;
#line 8 "constants.c"
  int64_t from, to; if (ek_static(me, 0, ALL, &from, &to)) for (int i = from; i < (int)to; i++) {
    int part[COLUMNS];
    part[0] = i;
    x[i] += part[0];
  }
  return EK_END;
}
static const ek_cbb of_function_7_cbbs[] = {{7, 1, 0}};
static const ek_proc of_function_7 = {.name = "of_function_7", .file = "constants.c", .run = of_function_7_run, .frame_bytes = sizeof(struct of_function_7),
  .cbbs = of_function_7_cbbs, .count = 1, .flags = EK_FREE};
static int of_function_7_on(int *x) {
  if (!ek_on_for_region()) return 0;
  struct of_function_7 F = {.x = x};
  ek_run(&of_function_7, &F, 0);
  return 1;
}

/* codelets of of_function(), line 13 */
#line 13 "constants.c"
struct of_function_13 {
  int *x;
};
#line 13 "constants.c"
static ek_next EK_ALIGNED of_function_13_run(ek_self *me) {
  struct of_function_13 *const F = (struct of_function_13 *)me->frame;
  int *const x = F->x;
#line 14 "constants.c"
  {
    enum { OTHER = 2 };
    x[0] = OTHER;
  }
  return EK_END;
}
static const ek_cbb of_function_13_cbbs[] = {{13, 1, 0}};
static const ek_proc of_function_13 = {.name = "of_function_13", .file = "constants.c", .run = of_function_13_run, .frame_bytes = sizeof(struct of_function_13),
  .cbbs = of_function_13_cbbs, .count = 1, .flags = EK_FREE};
static int of_function_13_on(int *x) {
  if (!ek_on_for_region()) return 0;
  struct of_function_13 F = {.x = x};
  ek_run(&of_function_13, &F, 0);
  return 1;
}
EK_GENERATED_END
#line 19 "constants.c"

