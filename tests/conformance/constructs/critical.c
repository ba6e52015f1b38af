// critical: one thread at a time for a name, the unnamed ones together, different names apart; with hints too.
#include "check.h"

static void count(int *inside, long *sum) {
  CHECK_EQUAL(add_one(inside), 1);
  *sum += 1;
  __atomic_sub_fetch(inside, 1, __ATOMIC_SEQ_CST);
}

static void elsewhere(int *inside, long *sum) {
#pragma omp critical
  count(inside, sum);
}

int main(void) {
  int n = omp_get_max_threads();
  int in_a = 0, in_b = 0, in_none = 0, in_hint = 0;
  long a = 0, b = 0, none = 0, hint = 0;
#pragma omp parallel
  {
    for (int i = 0; i < 1000; ++i) {
#pragma omp critical(a)
      count(&in_a, &a);
#pragma omp critical(b)
      count(&in_b, &b);
#pragma omp critical
      count(&in_none, &none);
      elsewhere(&in_none, &none);
#pragma omp critical(h) hint(omp_sync_hint_contended)
      count(&in_hint, &hint);
#pragma omp critical(h2) hint(omp_sync_hint_uncontended | omp_sync_hint_nonspeculative)
      {
        if (i % 100 == 0) nap_us(10);
      }
    }
  }
  CHECK_EQUAL(a, 1000L * n);
  CHECK_EQUAL(b, 1000L * n);
  CHECK_EQUAL(none, 2000L * n);
  CHECK_EQUAL(hint, 1000L * n);
  // Different names do not exclude each other, and may be nested.
  int first = 0, second = 0, nested = 0;
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    {
#pragma omp critical(a)
      {
        set_to(&first, 1);
        CHECK(wait_until(&second, 1));
      }
    }
#pragma omp section
    {
#pragma omp critical(b)
      {
        set_to(&second, 1);
        CHECK(wait_until(&first, 1));
      }
    }
  }
#pragma omp parallel
  {
#pragma omp critical(a)
#pragma omp critical(b)
#pragma omp critical
    ++nested;
  }
  CHECK_EQUAL(nested, n);
  return check_end();
}
