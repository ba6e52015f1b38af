// fork after a region, when the parent has threads that the child has not: the child's regions still work.
// peer gcc: libgomp 12 waits in the child for threads that are not there
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
  CHECK_EQUAL(region(), n + 20);
  for (int i = 0; i < 3; ++i) {
    pid_t child = fork();
    if (child == 0) _exit(region() == n + 20 && region() == n + 20 ? 0 : 1);
    int status = -1;
    waitpid(child, &status, 0);
    CHECK_EQUAL(status, 0);
    CHECK_EQUAL(region(), n + 20);
  }
  return check_end();
}
