// A region that exit() leaves, after a loop of eight chunks.
#include <omp.h>
#include <stdlib.h>

int main(void) {
#pragma omp parallel num_threads(2)
  {
#pragma omp for schedule(dynamic, 1)
    for (int i = 0; i < 8; i++) __asm__ volatile("");
    if (omp_get_thread_num() == 1) exit(3);
    for (;;) __asm__ volatile("");
  }
}
