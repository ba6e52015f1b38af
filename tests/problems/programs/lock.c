/* Tasks that do most of their work while they hold a lock. Fixed: each thread adds up for itself. */
#include "seeded.h"

enum { kTasks = 6000, kMostThreads = 64, kLine = 8 };
static double total, part[kMostThreads * kLine];

int main(int argc, char **argv) {
  int fixed = is_fixed(argc, argv), tasks = fewer(argc, argv, kTasks);
  double begin = omp_get_wtime();
  #pragma omp parallel num_threads(omp_get_max_threads() < kMostThreads ? omp_get_max_threads() : kMostThreads)
  #pragma omp single
  for (int i = 0; i < tasks; ++i) {
    #pragma omp task firstprivate(i)
    {
      double value = spin(4000, i);
      if (fixed) {
        part[omp_get_thread_num() * kLine] += spin(12000, value);
      } else {
        #pragma omp critical /* PROBLEM */
        total += spin(12000, value);
      }
    }
  }
  for (int t = 0; t < kMostThreads; ++t) total += part[t * kLine];
  return done(begin, total);
}
