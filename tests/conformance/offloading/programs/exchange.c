// Pairs of addresses that the program makes itself (the host's memory is mapped to memory asked of the device).
#include <omp.h>
#include <stdio.h>
int main(void) {
  int a[20], sum = 0, there = 0;
  const int device = omp_get_default_device(), host = omp_get_initial_device();
  for (int i = 0; i < 20; ++i) a[i] = i;
  int *p = omp_get_num_devices() > 0 ? omp_target_alloc(sizeof a, device) : a;
  if (p != a) {
    there = omp_target_associate_ptr(a, p, sizeof a, 0, device) == 0 && omp_target_is_present(a, device);
    omp_target_memcpy(p, a, sizeof a, 0, 0, device, host);
  }
#pragma omp target map(a)
  for (int i = 0; i < 20; ++i) a[i] *= 3;
  if (p != a) {
    omp_target_memcpy(a, p, sizeof a, 0, 0, host, device);
    omp_target_disassociate_ptr(a, device);
    omp_target_free(p, device);
  }
  for (int i = 0; i < 20; ++i) sum += a[i];
  printf("%d %d\n", sum, there == (omp_get_num_devices() > 0));
}
