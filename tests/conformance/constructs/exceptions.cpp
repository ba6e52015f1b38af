// C++: exceptions thrown and caught within regions, loops, critical sections and tasks.
#include <stdexcept>

#include "check.h"

int main() {
  int n = omp_get_max_threads(), caught = 0;
#pragma omp parallel
  {
    try {
      throw std::runtime_error("in a region");
    } catch (const std::exception &) {
      add_one(&caught);
    }
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 100; ++i) {
      try {
        if (i % 2) throw i;
      } catch (int value) {
        CHECK_EQUAL(value, i);
        add_one(&caught);
      }
    }
#pragma omp single
    for (int i = 0; i < 100; ++i) {
#pragma omp task shared(caught) firstprivate(i)
      {
        try {
#pragma omp critical
          {
            try {
              throw i;
            } catch (int value) {
              add_one(&caught);
              CHECK_EQUAL(value, i);
            }
          }
          throw std::logic_error("in a task");
        } catch (const std::logic_error &) {
          add_one(&caught);
        }
      }
    }
  }
  CHECK_EQUAL(caught, n + 50 + 200);
  return check_end();
}
