// Tasks that the program itself serializes: eight with if(0), one after the other, and beside them a final task with eight children. Each
// is 2 ms long; before them the creator works for 2 ms. Work 2 + 16 + 16, longest path 2 + 16: at most 34 / 18 = 1.89 times as fast.
#include "busy.h"

int main(void) {
#pragma omp parallel
#pragma omp single
  {
    busy_ms(2);
#pragma omp task final(1)
    for (int i = 0; i < 8; ++i) {
#pragma omp task
      busy_ms(2);
    }
    for (int i = 0; i < 8; ++i) {
#pragma omp task if (0)
      busy_ms(2);
    }
  }
  return 0;
}
