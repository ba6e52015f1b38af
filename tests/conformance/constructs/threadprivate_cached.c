// threadprivate without thread-local storage: clang then asks the runtime for each thread's copy
// (__kmpc_threadprivate_cached), which it makes from the original's initial value.
// flags clang: -fnoopenmp-use-tls
#include "check.h"

static int number = 11;
static long array[20] = {1, 2, 3};
#pragma omp threadprivate(number, array)

int main(void) {
#pragma omp parallel
  {
    CHECK_EQUAL(number, 11);
    CHECK_EQUAL(array[2], 3);
    number = 100 + omp_get_thread_num();
    array[2] = omp_get_thread_num();
  }
  for (int round = 0; round < 100; ++round) {
#pragma omp parallel
    {
      CHECK_EQUAL(number, 100 + omp_get_thread_num() + round);
      CHECK_EQUAL(array[2], omp_get_thread_num());
      ++number;
    }
  }
  number = 7;
  array[1] = 77;
#pragma omp parallel copyin(number, array)
  {
    CHECK_EQUAL(number, 7);
    CHECK_EQUAL(array[1], 77);
  }
  return check_end();
}
