// nowait from several threads at once, with a taskgroup in each.
#include <stdio.h>
int main(void) {
  int all[4][10] = {{0}}, sum = 0;
#pragma omp parallel for num_threads(4)
  for (int t = 0; t < 4; ++t) {
#pragma omp taskgroup
    for (int i = 0; i < 10; ++i) {
      int *p = &all[t][i];
#pragma omp target nowait map(tofrom : p[0 : 1])
      p[0] += i + t;
    }
    for (int i = 0; i < 10; ++i) all[t][i] *= 2;
  }
  for (int i = 0; i < 40; ++i) sum += all[i / 10][i % 10];
  printf("%d\n", sum);
}
