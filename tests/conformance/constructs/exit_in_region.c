// The program may end anywhere: exit in a region, in a task, by another thread, with tasks queued; the status is kept and
// atexit functions run, which may have a region of their own.
// run region: -- region
// run task: -- task
// run thread: -- thread
// run atexit: -- atexit
#include <sys/wait.h>

#include "check.h"

static void last(void) {
  int members = 0;
#pragma omp parallel num_threads(3)
  add_one(&members);
  if (members != 3) _exit(99);
}

static void leave(const char *how) {
  if (strcmp(how, "atexit") == 0) {
    atexit(last);
#pragma omp parallel
    {
    }
    exit(42);
  }
#pragma omp parallel
  {
    if (strcmp(how, "region") == 0) {
#pragma omp master
      exit(42);
    } else if (strcmp(how, "thread") == 0) {
      if (omp_get_thread_num() == omp_get_num_threads() - 1) exit(42);
    } else {
#pragma omp single
      for (int i = 0; i < 100; ++i) {
#pragma omp task firstprivate(i)
        {
          if (i == 50) exit(42);
          nap_us(10);
        }
      }
    }
#pragma omp barrier
  }
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  for (int i = 0; i < 5; ++i) {
    pid_t child = fork();
    if (child == 0) {
      leave(argv[1]);
      _exit(98);
    }
    int status = -1;
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status));
    CHECK_EQUAL(WEXITSTATUS(status), 42);
  }
  return check_end();
}
