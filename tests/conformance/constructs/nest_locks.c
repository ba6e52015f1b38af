// Nestable locks: the owner may set them again, test gives the depth, and only the last unset lets others in.
#include "check.h"

static void use(omp_nest_lock_t *lock) {
  int n = omp_get_max_threads(), inside = 0;
  long sum = 0;
#pragma omp parallel
  {
    for (int i = 0; i < 300; ++i) {
      omp_set_nest_lock(lock);
      CHECK_EQUAL(add_one(&inside), 1);
      omp_set_nest_lock(lock);
      CHECK_EQUAL(omp_test_nest_lock(lock), 3);
      sum += 1;
      omp_unset_nest_lock(lock);
      omp_unset_nest_lock(lock);
      CHECK_EQUAL(value_of(&inside), 1);
      __atomic_sub_fetch(&inside, 1, __ATOMIC_SEQ_CST);
      omp_unset_nest_lock(lock);
    }
  }
  CHECK_EQUAL(sum, 300L * n);
  for (int depth = 1; depth <= 100; ++depth) CHECK_EQUAL(omp_test_nest_lock(lock), depth);
  // Another thread's test fails while we have it.
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 1) CHECK_EQUAL(omp_test_nest_lock(lock), 0);
  for (int depth = 1; depth <= 100; ++depth) omp_unset_nest_lock(lock);
  CHECK_EQUAL(omp_test_nest_lock(lock), 1);
  omp_unset_nest_lock(lock);
}

int main(void) {
  omp_nest_lock_t lock;
  omp_init_nest_lock(&lock);
  use(&lock);
  omp_destroy_nest_lock(&lock);
#ifdef __clang__  // gcc 12's omp.h declares this one, its library has it not
  omp_init_nest_lock_with_hint(&lock, omp_sync_hint_contended);
  use(&lock);
  omp_destroy_nest_lock(&lock);
  omp_init_nest_lock_with_hint(&lock, omp_sync_hint_speculative);
  use(&lock);
  omp_destroy_nest_lock(&lock);
#endif
  return check_end();
}
