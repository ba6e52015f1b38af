/* Each thread waits in a taskgroup for tasks of which half, dealt out in turn, lie in the other's queue, where the other must not run
 * them: it waits in a task of its own (tied tasks). Who waits for them has to fetch them. */
#include <stdio.h>

int main(void) {
  int sum = 0;
#pragma omp parallel for schedule(static, 1)
  for (int v = 0; v < 8; v++) {
#pragma omp taskgroup
    for (int i = 0; i < 8; i++)
#pragma omp task
#pragma omp task
#pragma omp atomic
      sum++;
  }
  printf("%d\n", sum);
  return sum != 64;
}
