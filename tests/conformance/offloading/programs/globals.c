// Variables and functions that are declared for the device.
#include <stdio.h>
#pragma omp declare target
int table[10];
static int twice(int n) { return 2 * n; }
static int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
#pragma omp end declare target
int main(void) {
  int sum = 0;
  for (int i = 0; i < 10; ++i) table[i] = i;
#pragma omp target update to(table)
#pragma omp target map(tofrom : sum)
  for (int i = 0; i < 10; ++i) table[i] = twice(table[i]) + fibonacci(i), sum += table[i];
#pragma omp target update from(table)
  printf("%d %d\n", sum, table[9]);
}
