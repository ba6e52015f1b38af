// Copies of rectangles, and pairs of addresses that the program makes.
#include <omp.h>
#include <stdio.h>
int main(void) {
  const int device = omp_get_default_device(), host = omp_get_initial_device();
  int a[6][8], b[6][8] = {{0}}, sum = 0;
  for (int i = 0; i < 48; ++i) a[i / 8][i % 8] = i;
  int *p = omp_target_alloc(sizeof a, device);
  const size_t volume[2] = {3, 4}, to[2] = {1, 2}, from[2] = {2, 3}, size[2] = {6, 8};
  omp_target_memcpy(p, b, sizeof b, 0, 0, device, host);
  const int failed = omp_target_memcpy_rect(p, a, sizeof(int), 2, volume, to, from, size, size, device, host);
  omp_target_memcpy(b, p, sizeof b, 0, 0, host, device);
  omp_target_free(p, device);
  for (int i = 0; i < 48; ++i) sum += b[i / 8][i % 8] * (i + 1);
  printf("%d %d\n", failed, sum);
}
