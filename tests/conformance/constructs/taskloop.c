// taskloop: each iteration once; grainsize and num_tasks keep their promises; collapse, if, final, nogroup, firstprivate and
// lastprivate, both directions.
#include "loop_check.h"

static Map map;
static int tasks;

// Counts the tasks that a loop makes: a task's private copy of `fresh` is 1 until its first iteration.
#define LOOP(iterations, low, high, clauses)                                             \
  do {                                                                                   \
    map_clear(&map);                                                                     \
    tasks = 0;                                                                           \
    int fresh = 1;                                                                       \
    _Pragma(clauses) for (int i = 0; i < iterations; ++i) {                              \
      if (fresh) add_one(&tasks);                                                        \
      fresh = 0;                                                                         \
      map_note(&map, i);                                                                 \
    }                                                                                    \
    CHECK_ONCE(&map, iterations);                                                        \
    if (value_of(&tasks) < (low) || value_of(&tasks) > (high)) {                         \
      check_report(__FILE__, __LINE__, "number of tasks " clauses, value_of(&tasks), high); \
    }                                                                                    \
  } while (0)

int main(void) {
#pragma omp parallel
#pragma omp single
  {
    for (int iterations = 0; iterations < 400; iterations = iterations * 2 + 1) {
      int some = iterations > 0;
      LOOP(iterations, some, iterations, "omp taskloop firstprivate(fresh)");
      // Each task at least 5 (if there are so many), fewer than 10.
      LOOP(iterations, iterations > 0 ? (iterations + 9) / 10 : 0, iterations < 5 ? some : iterations / 5,
           "omp taskloop firstprivate(fresh) grainsize(5)");
      LOOP(iterations, iterations < 7 ? iterations : 7, iterations < 7 ? iterations : 7,
           "omp taskloop firstprivate(fresh) num_tasks(7)");
      LOOP(iterations, some, some, "omp taskloop firstprivate(fresh) grainsize(1000000)");
      LOOP(iterations, iterations, iterations, "omp taskloop firstprivate(fresh) grainsize(1)");
      LOOP(iterations, some, iterations, "omp taskloop firstprivate(fresh) if(0)");
      LOOP(iterations, some, iterations, "omp taskloop firstprivate(fresh) final(1)");
      LOOP(iterations, some, iterations, "omp taskloop firstprivate(fresh) untied mergeable");
    }
    map_clear(&map);
    int last = -1;
#pragma omp taskloop lastprivate(last) grainsize(3)
    for (int i = 50; i > 0; i -= 2) {
      map_note(&map, (50 - i) / 2);
      last = i;
    }
    CHECK_ONCE(&map, 25);
    CHECK_EQUAL(last, 2);
    map_clear(&map);
#pragma omp taskloop collapse(2) num_tasks(5)
    for (int i = 0; i < 11; ++i)
      for (long j = 20; j > 0; j -= 2) map_note(&map, i * 10 + (20 - j) / 2);
    CHECK_ONCE(&map, 110);
  }
  // All threads, each its own loop.
  int sum = 0;
#pragma omp parallel
  {
#pragma omp taskloop shared(sum) num_tasks(10)
    for (int i = 0; i < 100; ++i) add_one(&sum);
  }
  CHECK_EQUAL(sum, 100 * omp_get_max_threads());
  return check_end();
}
