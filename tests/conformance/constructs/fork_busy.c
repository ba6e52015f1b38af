// fork() while other threads are inside the runtime, with its locks: the child has none of those threads and goes on alone.
// peer gcc: the child of libgomp 12 may wait for the critical for ever
// peer clang: as above, libomp 19
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
#include "check.h"

static int stop;

static void *busy(void *arg) {
  int k = (int)(long)arg;
  for (unsigned i = 0; !value_of(&stop); ++i) {
    omp_set_num_threads(1 + (int)(i % 7));
    omp_set_schedule(omp_sched_dynamic, 1 + (int)(i % 50) + 50 * k);
#pragma omp critical
    omp_set_dynamic((int)(i & 1));
  }
  return NULL;
}

int main(void) {
  pthread_t threads[3];
  for (long i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, busy, (void *)i);
  for (int i = 0; i < 100; ++i) {
    pid_t child = fork();
    if (child == 0) {
      alarm(30);  // a lock that nobody will give back
      int n = 0;
      omp_set_dynamic(0);
      omp_set_schedule(omp_sched_guided, 1000 + i);
#pragma omp parallel num_threads(3)
#pragma omp critical
      ++n;
      _exit(n == 3 ? 0 : 1);
    }
    int status = -1;
    CHECK_EQUAL(waitpid(child, &status, 0), child);
    CHECK_EQUAL(status, 0);
  }
  set_to(&stop, 1);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  return check_end();
}
