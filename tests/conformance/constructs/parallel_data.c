// Data clauses of parallel: private, firstprivate (scalars, arrays, structures), shared, reduction, a variable-length array.
#include "check.h"

struct Large {
  double values[100];
  char tag;
};

int main(void) {
  int n = omp_get_max_threads();
  int private_one = 17, first = 42, shared_one = 0, sum = 0;
  short array[7] = {1, 2, 3, 4, 5, 6, 7};
  struct Large large = {.tag = 'x'};
  for (int i = 0; i < 100; ++i) large.values[i] = i * 0.5;
  int length = n + 2;
  int variable[length];
  for (int i = 0; i < length; ++i) variable[i] = i;

#pragma omp parallel default(none) private(private_one) firstprivate(first, array, large, variable, length) \
    shared(shared_one, check_failures, stderr, n) reduction(+ : sum)
  {
    private_one = omp_get_thread_num();
    CHECK_EQUAL(first, 42);
    first += private_one;
    CHECK_EQUAL(large.tag, 'x');
    double total = 0;
    for (int i = 0; i < 100; ++i) total += large.values[i];
    CHECK(total == 2475.0);
    large.values[3] = -private_one;
    for (int i = 0; i < 7; ++i) {
      CHECK_EQUAL(array[i], i + 1);
      array[i] = (short)(-private_one);
    }
    for (int i = 0; i < length; ++i) {
      CHECK_EQUAL(variable[i], i);
      variable[i] += 1000 * private_one;
    }
#pragma omp barrier
    // What the others wrote into theirs is not seen here.
    CHECK_EQUAL(private_one, omp_get_thread_num());
    CHECK_EQUAL(first, 42 + private_one);
    CHECK(large.values[3] == -private_one);
    for (int i = 0; i < 7; ++i) CHECK_EQUAL(array[i], -private_one);
    for (int i = 0; i < length; ++i) CHECK_EQUAL(variable[i], i + 1000 * private_one);
    add_one(&shared_one);
    sum += private_one + 1;
  }
  CHECK_EQUAL(private_one, 17);
  CHECK_EQUAL(first, 42);
  CHECK_EQUAL(shared_one, n);
  CHECK_EQUAL(sum, n * (n + 1) / 2);
  CHECK(large.values[3] == 1.5);
  CHECK_EQUAL(array[6], 7);
  CHECK_EQUAL(variable[1], 1);
  return check_end();
}
