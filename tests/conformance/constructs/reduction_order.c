// KMP_DETERMINISTIC_REDUCTION: a team of the same size adds in the same order each time, bit by bit. Threads that come
// late, tasks and regions inside change nothing of it.
// compilers: clang
// threads: 2 3 5 8 17
// run deterministic: KMP_DETERMINISTIC_REDUCTION=true OMP_MAX_ACTIVE_LEVELS=2
// run by_program: OMP_MAX_ACTIVE_LEVELS=2 -- KMP_DETERMINISTIC_REDUCTION=true
// peer clang: its nowait waits for tasks, too
#include "check.h"

enum { kTerms = 1000, kRounds = 40 };

static double term(int i) { return 1.0 / (i + 1) / (i % 7 + 1); }

static double in_region(int late) {
  double sum = 0.25;
#pragma omp parallel reduction(+ : sum)
  {
    if (omp_get_thread_num() == late) nap_us(300);
#pragma omp for schedule(static) nowait
    for (int i = 0; i < kTerms; i++) sum += term(i);
  }
  return sum;
}

// With tasks that are still to run, and a region inside.
static double in_loop(int late) {
  double sum = 0.25;
  int tasks = 0;
#pragma omp parallel shared(sum, tasks)
  {
    if (omp_get_thread_num() == late) {
      for (int i = 0; i < 5; i++) {
#pragma omp task shared(tasks)
        add_one(&tasks);
      }
      int inner = 0;
#pragma omp parallel num_threads(3) reduction(+ : inner)
      inner += 1;
      CHECK(inner >= 1 && inner <= 3);
    }
#pragma omp for schedule(static) reduction(+ : sum)
    for (int i = 0; i < kTerms; i++) sum += term(i);
    double seen = sum;
#pragma omp barrier
    CHECK(seen == sum);  // the loop's end is a barrier
#pragma omp for schedule(static) reduction(+ : sum) nowait
    for (int i = 0; i < kTerms; i++) sum += term(i);
  }
  CHECK_EQUAL(value_of(&tasks), late < omp_get_max_threads() ? 5 : 0);
  return sum;
}

// Values are added without waiting for tasks: one ends only behind that, as its thread says so then.
static void with_a_task_that_is_still_open(void) {
  int sum = 0;
#pragma omp parallel shared(sum)
  {
    omp_event_handle_t event = 0;
    if (omp_get_thread_num() == 0) {
#pragma omp task detach(event)
      {
      }
    }
#pragma omp for reduction(+ : sum) nowait
    for (int i = 0; i < kTerms; i++) sum += 1;
    if (omp_get_thread_num() == 0) omp_fulfill_event(event);
  }
  CHECK_EQUAL(sum, kTerms);
}

int main(int argc, char **argv) {
  if (argc > 1) kmp_set_defaults(argv[1]);
  const double region = in_region(-1), loop = in_loop(1);
  for (int round = 0; round < kRounds; round++) {
    const int late = round % omp_get_max_threads();
    const double again = in_region(late), loop_again = in_loop(late);
    CHECK(memcmp(&region, &again, sizeof region) == 0);
    CHECK(memcmp(&loop, &loop_again, sizeof loop) == 0);
  }
  with_a_task_that_is_still_open();
  return check_end();
}
