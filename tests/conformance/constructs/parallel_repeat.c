// Many short regions, with pauses that let the threads fall asleep: start and end of a region lose nobody.
#include "check.h"

int main(void) {
  int n = omp_get_max_threads(), members = 0;
  for (int i = 0; i < 1000; ++i) {
#pragma omp parallel
    add_one(&members);
    CHECK_EQUAL(members, n * (i + 1));
    if (i % 100 == 0) nap_us(1000);
  }
  // Empty ones, and ones of changing size.
  for (int i = 0; i < 500; ++i) {
#pragma omp parallel num_threads(1 + i % 4)
    {
    }
  }
  int sum = 0;
  for (int i = 0; i < 400; ++i) {
#pragma omp parallel num_threads(1 + i % 4) reduction(+ : sum)
    sum += 1;
  }
  CHECK_EQUAL(sum, 1000);
  return check_end();
}
