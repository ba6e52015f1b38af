/* Tasks that follow each other, made among others that do not: they run last, one thread at a time. Fixed: they are made first. */
#include "seeded.h"

enum { kChain = 60, kOthers = 1200 };
static double in_turn[kChain], others[kOthers];

static void make_chain(int tasks) {
  for (int i = 0; i < tasks; ++i) {
    #pragma omp task firstprivate(i) depend(inout : in_turn[0]) /* PROBLEM */
    in_turn[i] = spin(500000, i);
  }
}

int main(int argc, char **argv) {
  int fixed = is_fixed(argc, argv), chain = fewer(argc, argv, kChain), count = fewer(argc, argv, kOthers);
  double begin = omp_get_wtime(), sum = 0;
  #pragma omp parallel
  #pragma omp single
  {
    if (fixed) make_chain(chain);
    for (int i = 0; i < count; ++i) {
      if (!fixed && i == count / 2) make_chain(chain);
      #pragma omp task firstprivate(i)
      others[i] = spin(50000, i);
    }
  }
  for (int i = 0; i < kChain; ++i) sum += in_turn[i];
  for (int i = 0; i < kOthers; ++i) sum += others[i];
  return done(begin, sum);
}
