// Simple locks: mutual exclusion, test, hints, many locks, a lock handed over to a thread that has slept.
#include "check.h"

enum { kLocks = 100 };

static void exclusion(omp_lock_t *lock) {
  int n = omp_get_max_threads(), inside = 0, got = 0;
  long sum = 0;
#pragma omp parallel
  {
    for (int i = 0; i < 500; ++i) {
      omp_set_lock(lock);
      CHECK_EQUAL(add_one(&inside), 1);
      sum += 1;
      __atomic_sub_fetch(&inside, 1, __ATOMIC_SEQ_CST);
      omp_unset_lock(lock);
      if (omp_test_lock(lock)) {
        CHECK_EQUAL(add_one(&inside), 1);
        add_one(&got);
        sum += 1;
        __atomic_sub_fetch(&inside, 1, __ATOMIC_SEQ_CST);
        omp_unset_lock(lock);
      }
    }
  }
  CHECK_EQUAL(sum, 500L * n + got);
}

int main(void) {
  omp_lock_t lock;
  omp_init_lock(&lock);
  exclusion(&lock);
  CHECK(omp_test_lock(&lock));
  CHECK(!omp_test_lock(&lock));
  omp_unset_lock(&lock);
  // Held for long: the others sleep, and are woken.
  int holding = 0, passed = 0;
#pragma omp parallel num_threads(4)
  {
    if (omp_get_thread_num() == 0) {
      omp_set_lock(&lock);
      set_to(&holding, 1);
      nap_us(20000);
      CHECK_EQUAL(value_of(&passed), 0);
      omp_unset_lock(&lock);
    } else {
      CHECK(wait_until(&holding, 1));
      CHECK(value_of(&passed) > 0 || !omp_test_lock(&lock) || (omp_unset_lock(&lock), 1));
      omp_set_lock(&lock);
      add_one(&passed);
      omp_unset_lock(&lock);
    }
  }
  CHECK_EQUAL(passed, 3);
  omp_destroy_lock(&lock);

#ifdef __clang__  // gcc 12's omp.h declares this one, its library has it not
  static const omp_sync_hint_t hints[] = {omp_sync_hint_none, omp_sync_hint_uncontended, omp_sync_hint_contended,
                                          omp_sync_hint_nonspeculative, omp_sync_hint_speculative};
  for (int i = 0; i < 5; ++i) {
    omp_init_lock_with_hint(&lock, hints[i]);
    exclusion(&lock);
    omp_destroy_lock(&lock);
  }
#endif

  static omp_lock_t many[kLocks];
  static int counts[kLocks];
  for (int i = 0; i < kLocks; ++i) omp_init_lock(&many[i]);
#pragma omp parallel for schedule(dynamic, 7)
  for (int i = 0; i < 100 * kLocks; ++i) {
    int k = i * 31 % kLocks;
    omp_set_lock(&many[k]);
    counts[k] += 1;
    omp_unset_lock(&many[k]);
  }
  for (int i = 0; i < kLocks; ++i) {
    CHECK_EQUAL(counts[i], 100);
    omp_destroy_lock(&many[i]);
  }
  return check_end();
}
