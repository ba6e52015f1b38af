// Data: regions within regions, and reference counts: only the last end copies.
#include <omp.h>
#include <stdio.h>
int main(void) {
  int a = 1, there = 0, behind = 0;
#pragma omp target data map(tofrom : a)
  {
#pragma omp target data map(tofrom : a)
    {
#pragma omp target map(tofrom : a)
      a += 1;
    }
#pragma omp target map(always, tofrom : a)
    a += 10;
    there = omp_target_is_present(&a, omp_get_default_device());
  }
  behind = omp_get_num_devices() > 0 && omp_target_is_present(&a, omp_get_default_device());
  printf("%d %d %d\n", a, there, behind);
}
