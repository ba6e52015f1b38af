/* Built with -fsanitize=thread. Correct, but only to who knows what OpenMP orders; with an argument it has a race. */
#include <stdio.h>
int main(int argc, char** argv) {
  int racy = argc > 1, sum = 0, a[1000];
  for (int r = 0; r < 20; ++r) {
#pragma omp parallel num_threads(4)
    {
#pragma omp for schedule(dynamic, 10)
      for (int i = 0; i < 1000; ++i) a[i] = i;
#pragma omp single
      for (int i = 0; i < 50; ++i) {
#pragma omp task
        {
#pragma omp critical
          sum += a[i];
        }
      }
#pragma omp barrier
      if (racy) sum++;
    }
  }
  printf("%d\n", sum);
  return 0;
}
