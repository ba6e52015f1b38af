// nowait: fast threads run many constructs ahead of a slow one, more than any runtime keeps descriptors for, and still
// each construct's iterations are done once.
#include "loop_check.h"

enum { kLoops = 60, kEach = 60 };
static Map map;

int main(void) {
  int n = omp_get_max_threads();
  for (int round = 0; round < 10; ++round) {
    map_clear(&map);
    int sections = 0, singles = 0;
#pragma omp parallel
    {
      // Thread n-1 comes late.
      if (omp_get_thread_num() == n - 1) nap_us(3000);
      for (int l = 0; l < kLoops; ++l) {
#pragma omp for schedule(dynamic, 2) nowait
        for (int i = 0; i < kEach; ++i) map_note(&map, l * kEach + i);
#pragma omp sections nowait
        {
#pragma omp section
          add_one(&sections);
#pragma omp section
          add_one(&sections);
        }
#pragma omp single nowait
        add_one(&singles);
      }
    }
    CHECK_ONCE(&map, kLoops * kEach);
    CHECK_EQUAL(sections, 2 * kLoops);
    CHECK_EQUAL(singles, kLoops);
  }
  // A thread does not wait: one gets through all loops while another has not begun.
  if (n > 1) {
    int through = 0;
#pragma omp parallel
    {
      if (omp_get_thread_num() == 0) CHECK(wait_until(&through, n - 1));
#pragma omp for schedule(dynamic) nowait
      for (int i = 0; i < 100; ++i) map_note(&map, 0);
#pragma omp for schedule(guided) nowait
      for (int i = 0; i < 100; ++i) map_note(&map, 0);
#pragma omp for schedule(static) nowait
      for (int i = 0; i < 100; ++i) map_note(&map, 0);
      add_one(&through);
    }
    CHECK_EQUAL(through, n);
  }
  return check_end();
}
