/* A loop that adds up in order, and does two thirds of its work where it does that. Fixed: the results are kept by iteration, and added
   up in order after the loop. gcc gives the call of an ordered construct the line of the statement before. */
#include "seeded.h"

enum { kIterations = 2000 };
static double result[kIterations];

int main(int argc, char **argv) {
  int fixed = is_fixed(argc, argv), n = fewer(argc, argv, kIterations);
  double begin = omp_get_wtime(), sum = 0;
  if (fixed) {
    #pragma omp parallel for schedule(dynamic, 1)
    for (int i = 0; i < n; ++i) result[i] = spin(20000, spin(10000, i));
    for (int i = 0; i < n; ++i) sum += result[i];
  } else {
    #pragma omp parallel for ordered schedule(dynamic, 1)
    for (int i = 0; i < n; ++i) {
      double value = spin(10000, i); /* PROBLEM */
      #pragma omp ordered
      sum += spin(20000, value);
    }
  }
  return done(begin, sum);
}
