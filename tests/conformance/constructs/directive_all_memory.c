// omp_all_memory by its name: on the construct, in a depend object, on taskwait.
// compilers: gcc>=13 clang>=22
// clang 19 crashes at the depend object.
#include "check.h"

static void slow(int *x, int value) {
  nap_us(500);
  set_to(x, value);
}

int main(void) {
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < 50; ++round) {
    int x = 0, y = 0, before = -1, after = -1, by_object = -1;
#pragma omp task depend(out : x) shared(x)
    slow(&x, 1);
#pragma omp task depend(inout : y) shared(y)
    slow(&y, 1);
#pragma omp task depend(inout : omp_all_memory) shared(x, y, before)
    {
      before = value_of(&x) + value_of(&y);
      slow(&x, 10);
    }
#pragma omp task depend(in : x) shared(x, after)
    after = value_of(&x);
    omp_depend_t all;
#pragma omp depobj(all) depend(inout : omp_all_memory)
#pragma omp task depend(inout : y) shared(y)
    slow(&y, 2);
#pragma omp task depend(depobj : all) shared(y, by_object)
    by_object = value_of(&y);
#pragma omp taskwait
    CHECK_EQUAL(before, 2);
    CHECK_EQUAL(after, 10);
    CHECK_EQUAL(by_object, 2);
#pragma omp task depend(out : x) shared(x)
    slow(&x, 3);
#pragma omp taskwait depend(inout : omp_all_memory)
    CHECK_EQUAL(value_of(&x), 3);
#pragma omp depobj(all) destroy
  }
  return check_end();
}
