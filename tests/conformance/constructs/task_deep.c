// A chain of tasks 10,000 deep, each waiting for its only child, and one in which nobody waits. Each level of the first may
// lie on the stack of one thread: it gets a large one, as with any runtime.
// run default: OMP_STACKSIZE=256M
#include <sys/resource.h>

#include "check.h"

static int reached;

static int down(int depth) {
  if (depth == 0) return 0;
  int below = -1;
#pragma omp task shared(below) firstprivate(depth)
  below = down(depth - 1);
#pragma omp taskwait
  CHECK_EQUAL(below, depth - 1);
  return below + 1;
}

static void run_away(int depth) {
  add_one(&reached);
  if (depth == 0) return;
#pragma omp task firstprivate(depth)
  run_away(depth - 1);
}

int main(int argc, char **argv) {
  (void)argc;
  // The initial thread's stack is the system's affair: ask for more, and start anew.
  struct rlimit limit;
  if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < (256u << 20)) {
    limit.rlim_cur = limit.rlim_max == RLIM_INFINITY || limit.rlim_max > (256u << 20) ? 256u << 20 : limit.rlim_max;
    if (!getenv("TASK_DEEP_AGAIN") && setrlimit(RLIMIT_STACK, &limit) == 0 && setenv("TASK_DEEP_AGAIN", "1", 1) == 0)
      execv("/proc/self/exe", argv);
  }
  int depth = 0;
#pragma omp parallel
#pragma omp single
  depth = down(10000);
  CHECK_EQUAL(depth, 10000);
#pragma omp parallel
#pragma omp single
  run_away(10000);
  CHECK_EQUAL(reached, 10001);
  return check_end();
}
