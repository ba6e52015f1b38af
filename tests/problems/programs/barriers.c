/* A barrier that nobody needs after less than a microsecond of work. Fixed: no barrier. */
#include "seeded.h"

enum { kSteps = 100000, kPart = 400 };
static double out[64 * 8];

int main(int argc, char **argv) {
  int fixed = is_fixed(argc, argv), steps = fewer(argc, argv, kSteps);
  double begin = omp_get_wtime(), sum = 0;
  #pragma omp parallel
  {
    int me = omp_get_thread_num();
    for (int step = 0; step < steps; ++step) {
      out[me * 8] += spin(kPart, me + step) > 0;
      if (!fixed) {
        #pragma omp barrier /* PROBLEM */
      }
    }
  }
  for (int t = 0; t < 64; ++t) sum += out[t * 8];
  return done(begin, sum);
}
