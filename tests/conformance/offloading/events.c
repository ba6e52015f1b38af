// Target regions, data regions, updates and device memory, with known results. From four threads, too: without regions in the
// kernels there, which LLVM's own runtime does not survive (kmp_csupport.cpp, th_set_nproc >= 1).
#include <omp.h>
#include <stdio.h>

static int sum(int factor) {
  int a[100], total = 0;
  for (int i = 0; i < 100; ++i) a[i] = i;
#pragma omp target data map(tofrom : a)
  {
#pragma omp target
    for (int i = 0; i < 100; ++i) a[i] *= factor;
#pragma omp target update from(a)
    a[0] = 1;
#pragma omp target update to(a[0 : 1])
#pragma omp target map(tofrom : total)
    for (int i = 0; i < 100; ++i) total += a[i];
  }
  return total;
}

int main(void) {
  int b[10] = {0}, wrong = 0;
  if (omp_get_default_device() != 0) return fprintf(stderr, "default device %d\n", omp_get_default_device()), 1;
#pragma omp target enter data map(to : b)
#pragma omp target
  b[3] = 3;
#pragma omp target exit data map(from : b)
  int *p = omp_target_alloc(40, omp_get_default_device());
  omp_target_memcpy(p, b, 40, 0, 0, omp_get_default_device(), omp_get_initial_device());
  omp_target_free(p, omp_get_default_device());
  wrong += sum(2) != 9901;
#pragma omp target teams distribute parallel for map(tofrom : b)
  for (int i = 0; i < 10; ++i) b[i] += 3;
#pragma omp parallel num_threads(4) reduction(+ : wrong)
  wrong += sum(3) != 14851;
  return wrong || b[3] != 6;
}
