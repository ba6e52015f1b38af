/* Its tasks and chunks are the same in every run and on every runtime. */
#include <stdio.h>
int fib(int n) { int a, b; if (n < 2) return n;
#pragma omp task shared(a)
 a = fib(n - 1);
#pragma omp task shared(b)
 b = fib(n - 2);
#pragma omp taskwait
 return a + b; }
int main() { int r = 0, a[1000];
#pragma omp parallel num_threads(4)
 {
#pragma omp for schedule(dynamic, 10)
  for (int i = 0; i < 1000; ++i) a[i] = i;
#pragma omp single
  r = fib(12);
#pragma omp for schedule(static)
  for (int i = 0; i < 1000; ++i) a[i] += i;
#pragma omp critical
  r += 0;
 }
 printf("%d\n", r); return 0; }
