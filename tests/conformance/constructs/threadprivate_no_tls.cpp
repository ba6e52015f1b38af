// threadprivate without the linker's thread-local storage: copies are made by the runtime, of classes too.
// flags clang: -fnoopenmp-use-tls
// compilers: clang
#include "check.h"

static int number = 7;
static int list[5] = {1, 2, 3, 4, 5};

struct Box {
  int value;
  int made_by_copy;
  explicit Box(int v) : value(v), made_by_copy(0) {}
  Box(const Box &other) : value(other.value), made_by_copy(1) {}
};
static Box box(11);
static int untouched = 3;
#pragma omp threadprivate(number, list, box, untouched)

int main() {
  number = 8;  // the initial thread's alone, unless copyin says otherwise
  int wrong = 0;
  int *seen[64] = {0};
  for (int repeat = 0; repeat < 20; ++repeat) {
#pragma omp parallel
    {
      int me = omp_get_thread_num();
      if (repeat == 0 && me > 0 && (untouched != 3 || box.value != 11)) add_one(&wrong);
      if (repeat == 0 && me < 64) seen[me] = &number;
      if (me < 64 && seen[me] != &number) add_one(&wrong);
      number = 100 * me + repeat;
      list[2] = number;
      box.value = number;
#pragma omp barrier
      if (number != 100 * me + repeat || list[2] != number || box.value != number || list[4] != 5) add_one(&wrong);
    }
#pragma omp parallel
    if (number != 100 * omp_get_thread_num() + repeat) add_one(&wrong);
    number = -5;
#pragma omp parallel copyin(number)
    if (number != -5) add_one(&wrong);
  }
  CHECK_EQUAL(wrong, 0);
  return check_end();
}
