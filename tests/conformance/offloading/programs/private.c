// firstprivate, private, defaultmap and scalars that are not mapped.
#include <stdio.h>
int main(void) {
  int a = 3, b = 4, c[5] = {1, 2, 3, 4, 5}, result = 0;
#pragma omp target firstprivate(a) private(b) map(from : result)
  {
    b = 10;
    a += b;
    result = a;
  }
#pragma omp target defaultmap(tofrom : scalar)
  b += result;
#pragma omp target map(tofrom : result)
  for (int i = 0; i < 5; ++i) c[i] += a, result += c[i];
  printf("%d %d %d %d\n", a, b, result, c[4]);
}
