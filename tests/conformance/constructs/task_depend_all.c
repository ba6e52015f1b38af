// inoutset and omp_all_memory, which gcc 12 does not know.
// compilers: clang>=17
#include "check.h"

int main(void) {
#pragma omp parallel
#pragma omp single
  {
    int a = 0, b = 0, seen = 0;
    for (int round = 1; round <= 20; ++round) {
#pragma omp task depend(out : a) shared(a) firstprivate(round)
      a = round * 100;
      for (int i = 0; i < 6; ++i) {
#pragma omp task depend(inoutset : a) shared(a) firstprivate(round)
        {
          CHECK(a >= round * 100);
          add_one(&a);
        }
      }
      for (int i = 0; i < 3; ++i) {
#pragma omp task depend(in : a) shared(a) firstprivate(round)
        CHECK_EQUAL(a, round * 100 + 6);
      }
#pragma omp task depend(out : b) shared(b) firstprivate(round)
      b = round;
#pragma omp task depend(out : omp_all_memory) shared(a, b, seen) firstprivate(round)
      {
        CHECK_EQUAL(a, round * 100 + 6);
        CHECK_EQUAL(b, round);
        CHECK_EQUAL(seen, round - 1);
        seen = round;
      }
#pragma omp task depend(in : seen) shared(seen) firstprivate(round)
      CHECK_EQUAL(seen, round);
    }
#pragma omp taskwait
    CHECK_EQUAL(seen, 20);
  }
  return check_end();
}
