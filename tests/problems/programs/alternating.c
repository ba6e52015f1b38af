/* Steps that end with a barrier: in each of them the other thread has four times as much to do. Taken together their parts are even.
   Fixed: both have the same in each step. */
#include "seeded.h"

enum { kSteps = 40, kAll = 3000000 };
static double out[64 * 8];

int main(int argc, char **argv) {
  int fixed = is_fixed(argc, argv), steps = fewer(argc, argv, kSteps);
  double begin = omp_get_wtime(), sum = 0;
  #pragma omp parallel
  {
    int me = omp_get_thread_num();
    for (int step = 0; step < steps; ++step) {
      long part = fixed ? kAll / 2 : (me + step) % 2 ? kAll / 5 : kAll / 5 * 4;
      out[me * 8] += spin(part, me + step) > 0;
      #pragma omp barrier /* PROBLEM */
    }
  }
  for (int t = 0; t < 64; ++t) sum += out[t * 8];
  return done(begin, sum);
}
