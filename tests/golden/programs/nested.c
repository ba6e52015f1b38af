/* A taskgroup around a task and its child, which it does not wait for; a task with a parallel region of its own; a task
   and its child that only the region's end joins. */
#include <omp.h>

static volatile int sink;

int main(void) {
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
#pragma omp single nowait
  {
#pragma omp taskgroup
    {
#pragma omp task
      { /* A */
#pragma omp task
        sink = 1; /* B */
        sink = 2;
      }
      sink = 3;
    }
#pragma omp task
    { /* C */
      sink = 4;
#pragma omp parallel num_threads(2)
      if (omp_get_thread_num() == 0) {
#pragma omp task
        sink = 5; /* D */
      }
      sink = 6;
    }
#pragma omp task
    { /* F */
#pragma omp task
      sink = 7; /* G */
      sink = 8;
    }
  }
  return 0;
}
