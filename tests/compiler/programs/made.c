// Clauses, directives and their variables that macros make: of the program, of the command line (SCHEDULE, N, UNTIED,
// TASK_DEPENDS), and those that an #if outside of the functions defines, by which compiler it is.
// regions: 6 of 6
// flags: -DSCHEDULE=schedule(dynamic,3) -DN=40 -DUNTIED= -DTASK_DEPENDS(x)=depend(inout:x[0:1]) "-DLOOP=for nowait"
#include "check.h"

#if defined(__clang__)
#define CHUNKS schedule(static, 2)
#define COMPILER 1
#elif __GNUC__ >= 4 && _OPENMP < 202011
#define CHUNKS schedule(dynamic, 2)
#define COMPILER 2
#else
#define CHUNKS schedule(no_such_schedule)
#endif

#define THREADS num_threads(2)
#define SUM(op, v) reduction(op : v)
#define STRING(x) #x
#define OMP(x) _Pragma(STRING(omp x))
#define SHARED(v) shared(v)
#define ADD(v) v += COMPILER

static int clauses(int *x) {
  int sum = 0, other = 0;
#pragma omp parallel for SCHEDULE SUM(+, sum)
  for (int i = 0; i < N; i++) sum += x[i];
#pragma omp parallel THREADS SHARED(other)
  {
#pragma omp for SCHEDULE SUM(+, other)
    for (int i = 0; i < N; i++) other += x[i];
#pragma omp LOOP CHUNKS
    for (int i = 0; i < N; i++) x[i]++;
#pragma omp single
    ADD(other);
  }
#pragma omp parallel for CHUNKS num_threads(COMPILER + 1) if (N > COMPILER)
  for (int i = 0; i < N; i++) x[i] += omp_get_num_threads() == COMPILER + 1;
  CHECK(other == sum + COMPILER);
  return sum;
}

static void directives(int *x) {
  OMP(parallel for collapse(2) CHUNKS)
  for (int i = 0; i < N / 4; i++)
    for (int j = 0; j < 4; j++) x[4 * i + j]++;
  OMP(parallel) {
    OMP(LOOP)
    for (int i = 0; i < N; i++) x[i]++;
  }
  int last = 0, count = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < N; i++) {
#pragma omp task TASK_DEPENDS(x) UNTIED SHARED(last)
      last = x[0] + i;
#pragma omp task shared(count) UNTIED
      OMP(atomic) ADD(count);
    }
  }
  CHECK(last == 3 + N - 1 && count == N * COMPILER);
}

int main(void) {
  int x[N] = {0};
  CHECK(clauses(x) == 0);
  CHECK(x[0] == 2 && x[N - 1] == 2);
  for (int i = 0; i < N; i++) x[i] = 1;
  directives(x);
  return 0;
}
