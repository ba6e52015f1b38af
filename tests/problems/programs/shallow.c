/* A recursion whose if clause cuts off at level 1, where one half has four fifths of the work. Fixed: at level 8. */
#include "seeded.h"

static int cut_off = 1, length;
static double leaves[1 << 14];

static void split(int from, int n, int depth) {
  if (n == 1) {
    leaves[from] = spin(from < (1 << 13) ? length : length / 4, from);
    return;
  }
  #pragma omp task if(depth < cut_off) /* PROBLEM */
  split(from, n / 2, depth + 1);
  split(from + n / 2, n / 2, depth + 1);
  #pragma omp taskwait
}

int main(int argc, char **argv) {
  if (is_fixed(argc, argv)) cut_off = 8;
  length = fewer(argc, argv, 10000);
  double begin = omp_get_wtime(), sum = 0;
  #pragma omp parallel
  #pragma omp single
  split(0, 1 << 14, 0);
  for (int i = 0; i < 1 << 14; ++i) sum += leaves[i];
  return done(begin, sum);
}
