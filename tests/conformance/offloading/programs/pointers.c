// is_device_ptr, use_device_ptr, and memory that the program asks the device for.
#include <omp.h>
#include <stdio.h>
#define N 40
int main(void) {
  const int device = omp_get_default_device(), host = omp_get_initial_device();
  int a[N], b[N] = {0}, *p = omp_target_alloc(sizeof a, device), sum = 0;
  for (int i = 0; i < N; ++i) a[i] = i;
  omp_target_memcpy(p, a, sizeof a, 0, 0, device, host);
#pragma omp target is_device_ptr(p)
  for (int i = 0; i < N; ++i) p[i] += 5;
  omp_target_memcpy(a, p, sizeof a, 0, 0, host, device);
  omp_target_free(p, device);
  int *q = b;
#pragma omp target data map(tofrom : q[0 : N]) use_device_ptr(q)
  {
#pragma omp target is_device_ptr(q)
    for (int i = 0; i < N; ++i) q[i] = i;
  }
  for (int i = 0; i < N; ++i) sum += a[i] + b[i];
  printf("%d\n", sum);
}
