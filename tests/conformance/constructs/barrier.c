// barrier: nobody goes past before all have come, however often, with early and late threads.
#include "check.h"

enum { kRounds = 300 };

int main(void) {
  int n = omp_get_max_threads();
  static int arrived[kRounds];
#pragma omp parallel
  {
    unsigned random = 1 + (unsigned)omp_get_thread_num();
    for (int i = 0; i < kRounds; ++i) {
      random = random * 1103515245u + 12345u;
      if (random >> 16 & 1 && i % 10 == 0) nap_us(random >> 16 & 255);
      add_one(&arrived[i]);
#pragma omp barrier
      CHECK_EQUAL(value_of(&arrived[i]), n);
      if (i + 2 < kRounds) CHECK_EQUAL(value_of(&arrived[i + 2]), 0);
    }
  }
  // Memory written before is seen behind it.
  static int data[64];
#pragma omp parallel num_threads(8)
  {
    int me = omp_get_thread_num(), size = omp_get_num_threads();
    for (int i = 0; i < 200; ++i) {
      data[me] = i;
#pragma omp barrier
      for (int k = 0; k < size; ++k) CHECK_EQUAL(data[k], i);
#pragma omp barrier
    }
  }
  return check_end();
}
