// What gcc's mkoffload adds to a program with code for two devices: constructors that register the images. The images
// themselves are empty.
#include <stddef.h>

void GOMP_offload_register_ver(unsigned version, const void *host_table, int target_type, const void *target_data);
static const void *const table[4];
static const size_t image[8];

__attribute__((constructor)) static void register_images(void) {
  GOMP_offload_register_ver(0x10001, table, 5 /* nvptx */, image);
  GOMP_offload_register_ver(0x10001, table, 8 /* amdgcn */, image);
}

int main(void) {
  int a = 0;
#pragma omp target map(tofrom : a)
  a = 1;
  return a != 1;
}
