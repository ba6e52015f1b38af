// taskloop reduction and in_reduction, with and without a group of its own, and no iterations.
#include "check.h"

static long over(long n, int nogroup) {
  long sum = 100, outer = 0;
#pragma omp taskgroup task_reduction(+ : outer)
  {
    if (nogroup) {
#pragma omp taskloop in_reduction(+ : outer) nogroup grainsize(7)
      for (long i = 0; i < n; ++i) outer += i;
    } else {
#pragma omp taskloop in_reduction(+ : outer) num_tasks(9)
      for (long i = 0; i < n; ++i) outer += i;
    }
  }
#pragma omp taskloop reduction(+ : sum)
  for (long i = 0; i < n; ++i) sum += i;
  CHECK_EQUAL(sum - 100, outer);
  return sum;
}

int main(void) {
  long all = 0;
#pragma omp parallel reduction(+ : all)
  {
    for (int nogroup = 0; nogroup < 2; ++nogroup) {
      CHECK_EQUAL(over(1000, nogroup), 100 + 499500);
      CHECK_EQUAL(over(1, nogroup), 100);
      CHECK_EQUAL(over(0, nogroup), 100);
    }
    unsigned long long big = 0;
    int least = 1 << 30;
#pragma omp taskloop reduction(+ : big) reduction(min : least) if (all >= 0)
    for (unsigned long long i = 18446744073709551000ull; i < 18446744073709551600ull; i += 2) {
      big += 1;
      if (least > (int)(i % 1000)) least = (int)(i % 1000);
    }
    CHECK_EQUAL(big, 300);
    CHECK_EQUAL(least, 0);
    long inside = 0;
#pragma omp taskloop reduction(+ : inside) grainsize(3)
    for (int i = 0; i < 50; ++i) {
#pragma omp task in_reduction(+ : inside)
      inside += 2;
      inside += 1;
    }
    CHECK_EQUAL(inside, 150);
    all += inside;
  }
  CHECK_EQUAL(all, 150L * omp_get_max_threads());
  return check_end();
}
