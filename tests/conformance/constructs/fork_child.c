// A child made by fork outside all regions may have regions of its own, with new threads.
#include <sys/wait.h>

#include "check.h"

static int region(void) {
  int members = 0, tasks = 0;
#pragma omp parallel
  {
    add_one(&members);
#pragma omp single
    for (int i = 0; i < 20; ++i) {
#pragma omp task shared(tasks)
      add_one(&tasks);
    }
  }
  return members + tasks;
}

int main(void) {
  int n = omp_get_max_threads();
  // Before any region of the parent: then the child's is its first.
  pid_t child = fork();
  if (child == 0) _exit(region() == n + 20 ? 0 : 1);
  int status = -1;
  waitpid(child, &status, 0);
  CHECK_EQUAL(status, 0);
  CHECK_EQUAL(region(), n + 20);
  return check_end();
}
