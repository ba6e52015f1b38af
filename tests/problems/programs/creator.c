/* One thread creates all tasks, and takes as long to prepare one as another thread takes to run it. Fixed: every thread
   creates its part of them. */
#include "seeded.h"

enum { kTasks = 8000 };
static double out[kTasks];

static void prepare(int i) { out[i] = spin(4000, i); }

int main(int argc, char **argv) {
  double begin = omp_get_wtime(), sum = 0;
  if (is_fixed(argc, argv)) {
    #pragma omp parallel for schedule(static)
    for (int i = 0; i < kTasks; ++i) {
      prepare(i);
      #pragma omp task firstprivate(i)
      out[i] = spin(2000, out[i]);
    }
  } else {
    #pragma omp parallel
    #pragma omp single
    for (int i = 0; i < kTasks; ++i) {
      prepare(i);
      #pragma omp task firstprivate(i) /* PROBLEM */
      out[i] = spin(2000, out[i]);
    }
  }
  for (int i = 0; i < kTasks; ++i) sum += out[i];
  return done(begin, sum);
}
