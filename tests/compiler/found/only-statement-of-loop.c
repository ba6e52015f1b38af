/* translated; a worksharing construct is the only statement of a loop, whose counter was lost at the implied barrier: a hang */
#include <omp.h>
#include <stdio.h>

static void count(int n, int *out) {
#pragma omp parallel num_threads(n + 0)
  {
    int sum = 0;
    for (int k = 0; k < 2; k++)
#pragma omp for schedule(static, 1)
      for (int i = 0; i < n; i++) sum++;
    out[omp_get_thread_num()] = sum;
  }
}

int main(void) {
  for (int n = 1; n < 5; n++) {
    int out[4] = {0};
    count(n, out);
    printf("%d %d %d %d\n", out[0], out[1], out[2], out[3]);
  }
  return 0;
}
