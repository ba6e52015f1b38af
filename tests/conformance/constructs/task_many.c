// Tasks without end, made by one thread while the others are busy: the memory that they take is bounded, and all run.
// threads: 2 4
#include <sys/resource.h>
#include "check.h"

enum { TASKS = 400000 };

int main(void) {
  int ran = 0, children = 0, made = 0;
#pragma omp parallel
  if (omp_get_thread_num() > 0) {
    while (!value_of(&made)) nap_us(500);
  } else {
    for (int i = 0; i < TASKS; ++i) {
      struct { int number; char bytes[400]; } data = {i, {0}};
#pragma omp task firstprivate(data)
      {
        add_one(&ran);
        if (data.number % 4 == 0) {
#pragma omp task
          add_one(&children);
        }
      }
    }
    set_to(&made, 1);
  }
  CHECK_EQUAL(ran, TASKS);
  CHECK_EQUAL(children, TASKS / 4);
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  if (usage.ru_maxrss > 100 << 10) check_report(__FILE__, __LINE__, "kilobytes", usage.ru_maxrss, 100 << 10);
  return check_end();
}
