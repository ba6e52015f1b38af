// taskloop nogroup: nobody waits at its end; taskwait, an enclosing taskgroup or the barrier does. Without nogroup the end of
// the loop waits for the tasks made within the loop's tasks too.
#include "loop_check.h"

static Map map;

int main(void) {
  int n = omp_get_max_threads();
  for (int round = 0; round < 20; ++round) {
    map_clear(&map);
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskloop nogroup grainsize(2)
      for (int i = 0; i < 100; ++i) map_note(&map, i);
#pragma omp taskwait
      CHECK_ONCE(&map, 100);
#pragma omp taskgroup
      {
#pragma omp taskloop nogroup num_tasks(20)
        for (int i = 100; i < 200; ++i) map_note(&map, i);
      }
      CHECK_ONCE(&map, 200);
#pragma omp taskloop nogroup
      for (int i = 200; i < 300; ++i) map_note(&map, i);
    }
    CHECK_ONCE(&map, 300);
  }
  if (n > 1) {
    int over = 0, held = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskloop nogroup num_tasks(1) shared(over, held)
      for (int i = 0; i < 1; ++i) {
        set_to(&held, 1);
        CHECK(wait_until(&over, 1));
      }
      CHECK(wait_until(&held, 1));
      set_to(&over, 1);
    }
    CHECK_EQUAL(over, 1);
  }
  int inner = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop grainsize(1) shared(inner)
    for (int i = 0; i < 50; ++i) {
#pragma omp task shared(inner)
      {
#pragma omp task shared(inner)
        {
          nap_us(10);
          add_one(&inner);
        }
      }
    }
    CHECK_EQUAL(value_of(&inner), 50);
  }
  return check_end();
}
