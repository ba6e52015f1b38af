/* translated; only a task names what is firstprivate in the region: the codelets did not declare it, and stayed OpenMP's */
#include <stdio.h>

static int part(int value, const int again) {
  int wrong = 0, once[2] = {4, 5};
#pragma omp parallel firstprivate(value, once) reduction(+ : wrong)
  {
    int from = 0, to = 0;
#pragma omp task shared(from)
    from = value + again;
#pragma omp task shared(to) firstprivate(once)
    to = once[1];
#pragma omp taskwait
    wrong += from != 6 || to != 5;
  }
  return wrong;
}

int main(void) {
  printf("%d\n", part(5, 1));
  return 0;
}
