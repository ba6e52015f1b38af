// reduction with every operator, on parallel, for, sections, and all at once; the original value takes part.
// run plain:
// run tree: KMP_FORCE_REDUCTION=tree
// run critical: KMP_FORCE_REDUCTION=critical
// run atomic: KMP_FORCE_REDUCTION=atomic
// flags clang: -latomic
#include <stdbool.h>

#include "check.h"

int main(void) {
  int n = omp_get_max_threads();
  for (int round = 0; round < 50; ++round) {
    int sum = 5, difference = 100, low = 7, high = -7, bits_or = 1, bits_and = -1, bits_xor = 0, all = 1, any = 0;
    double product = 2;
    long count = 0;
#pragma omp parallel for schedule(dynamic, 3) reduction(+ : sum, count) reduction(- : difference) reduction(* : product) \
    reduction(min : low) reduction(max : high) reduction(| : bits_or) reduction(& : bits_and) reduction(^ : bits_xor)   \
    reduction(&& : all) reduction(|| : any)
    for (int i = 1; i <= 100; ++i) {
      sum += i;
      difference -= i;
      if (i % 25 == 0) product *= 3;
      if (i - 50 < low) low = i - 50;
      if (i > high) high = i;
      bits_or |= 1 << i % 20;
      bits_and &= ~(1 << i % 3);
      bits_xor ^= i;
      all = all && i > 0;
      any = any || i == 77;
      count += 1;
    }
    CHECK_EQUAL(sum, 5055);
    CHECK_EQUAL(difference, 100 - 5050);
    CHECK(product == 162);
    CHECK_EQUAL(low, -49);
    CHECK_EQUAL(high, 100);
    CHECK_EQUAL(bits_or, (1 << 20) - 1);
    CHECK_EQUAL(bits_and, ~7);
    CHECK_EQUAL(bits_xor, 100);
    CHECK_EQUAL(all, 1);
    CHECK_EQUAL(any, 1);
    CHECK_EQUAL(count, 100);

    int members = 0;
    long double wide = 0.5L;
    _Complex double z = 0;
    unsigned char small = 0;
    bool truth = true;
#pragma omp parallel reduction(+ : members, wide, z, small) reduction(&& : truth)
    {
      members += 1;
      wide += 0.25L;
      z += 1.0;
      small = (unsigned char)(small + 1);
      truth = truth && omp_get_thread_num() < omp_get_num_threads();
    }
    CHECK_EQUAL(members, n);
    CHECK(wide == 0.5L + 0.25L * n);
    CHECK(__real__ z == n);
    CHECK_EQUAL(small, n % 256);
    CHECK(truth);
    // Inside a region, with and without the barrier: combined at the barrier at the latest.
    int inner = 0, loose = 0;
#pragma omp parallel
    {
#pragma omp for reduction(+ : inner)
      for (int i = 0; i < 64; ++i) inner += 1;
      CHECK_EQUAL(inner, 64);
#pragma omp barrier
#pragma omp for reduction(+ : loose) nowait
      for (int i = 0; i < 64; ++i) loose += 1;
#pragma omp barrier
      CHECK_EQUAL(loose, 64);
    }
  }
  return check_end();
}
