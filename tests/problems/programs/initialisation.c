/* One task initialises the data that tasks on all nodes of a machine use. Fixed: tasks initialise their blocks. */
#include "seeded.h"
#include <ompx_locality.h>

enum { kBlocks = 64, kBlock = 32768 };

int main(int argc, char **argv) {
  double *a = aligned_alloc(4096, sizeof(double) * kBlocks * kBlock);
  int domains = ompx_get_num_domains();
  double begin = omp_get_wtime(), sum = 0;
  #pragma omp parallel
  #pragma omp single
  {
    if (is_fixed(argc, argv)) {
      for (int b = 0; b < kBlocks; ++b) {
        ompx_next_task_affinity(b % domains);
        ompx_task_footprint(a + b * kBlock, sizeof(double) * kBlock, OMPX_WRITE);
        #pragma omp task firstprivate(b)
        for (int i = 0; i < kBlock; ++i) a[b * kBlock + i] = i;
      }
    } else {
      ompx_task_footprint(a, sizeof(double) * kBlocks * kBlock, OMPX_WRITE);
      #pragma omp task
      for (int i = 0; i < kBlocks * kBlock; ++i) a[i] = i % kBlock;
    }
    #pragma omp taskwait
    for (int repeat = 0; repeat < 10; ++repeat) {
      for (int b = 0; b < kBlocks; ++b) {
        ompx_next_task_affinity(b % domains);
        ompx_task_footprint(a + b * kBlock, sizeof(double) * kBlock, OMPX_READ_WRITE);
        #pragma omp task firstprivate(b) /* PROBLEM */
        for (int i = 0; i < kBlock; ++i) a[b * kBlock + i] *= 1.5;
      }
      #pragma omp taskwait
    }
  }
  for (int i = 0; i < kBlocks * kBlock; ++i) sum += a[i];
  return done(begin, sum);
}
