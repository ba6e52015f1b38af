// The tasks of a taskloop have children, wait for them or leave them behind, and have dependences among them; loops without
// a group, at once on all threads, and of which only the last iterations take time.
#include "loop_check.h"

static Map map;
static int children;

static void child(void) {
#pragma omp task
  add_one(&children);
}

static void pieces_with_children(int iterations, int grain) {
  map_clear(&map);
  children = 0;
  int expected = 0, mine = 0;
  for (int i = 0; i < iterations; ++i) expected += (i % 7 == 0) + 3 * (i % 50 == 0);
#pragma omp taskloop grainsize(grain) firstprivate(mine)
  for (int i = 0; i < iterations; ++i) {
    if (++mine > 2 * grain) check_report(__FILE__, __LINE__, "iterations that share a private copy", mine, grain);
    map_note(&map, i);
    if (i % 7 == 0) child();
    if (i % 11 == 0) {
      int done = 0;
#pragma omp task shared(done)
      done = 1;
#pragma omp taskwait
      CHECK_EQUAL(done, 1);
    }
    if (i % 50 == 0) {
      char order;
      (void)order;
      for (int k = 0; k < 3; ++k) {
#pragma omp task depend(inout : order)
        add_one(&children);
      }
    }
    if (i > iterations - 20)
      for (volatile int k = 0; k < 20000; ++k) continue;
  }
  CHECK_ONCE(&map, iterations);
  CHECK_EQUAL(value_of(&children), expected);
}

int main(void) {
  for (int round = 0; round < 20; ++round) {
    int iterations = 1 + 97 * round, grain = 1 + round % 3;
#pragma omp parallel
#pragma omp single
    {
      pieces_with_children(iterations, grain);
      map_clear(&map);
#pragma omp taskloop nogroup grainsize(1)
      for (int i = 0; i < iterations; ++i) map_note(&map, i);
#pragma omp taskwait
      CHECK_ONCE(&map, iterations);
    }
    children = 0;
#pragma omp parallel
    {
#pragma omp taskloop grainsize(grain)
      for (int i = 0; i < iterations; ++i) add_one(&children);
      // A loop that outlives the task that met it.
#pragma omp task
      {
#pragma omp taskloop nogroup grainsize(1)
        for (int i = iterations; i > 0; --i) child();
      }
    }
    int threads = 0;
#pragma omp parallel reduction(+ : threads)
    threads++;
    CHECK_EQUAL(value_of(&children), 2 * threads * iterations);
  }
  return check_end();
}
