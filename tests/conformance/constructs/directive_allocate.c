// The allocate directive for variables of a scope: gcc 14 makes GOMP_alloc and GOMP_free of it.
// compilers: gcc>=14
#include "check.h"

int main(void) {
  int wrong = 0;
#pragma omp parallel reduction(+ : wrong)
  for (int round = 0; round < 100; ++round) {
    int values[100];
#pragma omp allocate(values) allocator(omp_default_mem_alloc) align(256)
    for (int i = 0; i < 100; ++i) values[i] = i * omp_get_thread_num();
    wrong += (uintptr_t)values % 256 != 0;
    for (int i = 0; i < 100; ++i) wrong += values[i] != i * omp_get_thread_num();
  }
  CHECK_EQUAL(wrong, 0);
  return check_end();
}
