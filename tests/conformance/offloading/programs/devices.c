// Device clauses: numbers, the default, if clauses, and the host asked for.
#include <omp.h>
#include <stdio.h>
int main(void) {
  int sum = 0, on_host = -1;
  for (int d = 0; d < omp_get_num_devices(); ++d) {
#pragma omp target device(d) map(tofrom : sum)
    sum += d + 1;
  }
#pragma omp target if (0) map(tofrom : sum, on_host)
  sum += 100, on_host = omp_is_initial_device();
#pragma omp target device(omp_get_initial_device()) map(tofrom : sum)
  sum += 1000;
  omp_set_default_device(omp_get_num_devices() > 1 ? 1 : 0);
#pragma omp target map(tofrom : sum)
  sum += 10000;
  printf("%d %d %d %d\n", sum, on_host, omp_get_num_devices(), omp_get_default_device());
}
