// fork() while other threads hold critical sections and locks: they are not there in the child, so nobody holds them. What
// the forking thread holds stays its own.
// peer gcc: in the child of libgomp 12 they are held for ever
// peer clang: in the child of libomp 19 they are held for ever
// threads: 4
#include <pthread.h>
#include <sys/wait.h>
#include "check.h"

static omp_lock_t lock, mine;
static omp_nest_lock_t nest;
static int held, release;

static void *holder(void *arg) {
  (void)arg;
#pragma omp critical
#pragma omp critical(a_name)
  {
    omp_set_lock(&lock);
    omp_set_nest_lock(&nest);
    omp_set_nest_lock(&nest);
    set_to(&held, 1);
    CHECK(wait_until(&release, 1));
    CHECK_EQUAL(omp_test_nest_lock(&nest), 3);
    for (int i = 0; i < 3; ++i) omp_unset_nest_lock(&nest);
    omp_unset_lock(&lock);
  }
  return NULL;
}

static void child(void) {
  alarm(30);  // a lock that nobody will give back
  int unnamed = 0, named = 0, locked = 0, nested = 0, stolen = 0;
#pragma omp parallel num_threads(4)
  for (int i = 0; i < 50; ++i) {
#pragma omp critical
    ++unnamed;
#pragma omp critical(a_name)
    ++named;
    omp_set_lock(&lock);
    ++locked;
    omp_unset_lock(&lock);
    omp_set_nest_lock(&nest);
    CHECK_EQUAL(omp_test_nest_lock(&nest), 2);
    ++nested;
    omp_unset_nest_lock(&nest);
    omp_unset_nest_lock(&nest);
    if (omp_test_lock(&mine)) add_one(&stolen);
  }
  CHECK_EQUAL(unnamed, 200);
  CHECK_EQUAL(named, 200);
  CHECK_EQUAL(locked, 200);
  CHECK_EQUAL(nested, 200);
  CHECK_EQUAL(stolen, 0);
  omp_unset_lock(&mine);
  CHECK(omp_test_lock(&mine));
  omp_unset_lock(&mine);
}

static void fork_and_check(int generations) {
  pid_t pid = fork();
  if (pid == 0) {
    child();
    omp_set_lock(&mine);
    if (generations > 1) fork_and_check(generations - 1);  // the child's threads are gone in its own child
    _exit(check_failures != 0);
  }
  int status = -1;
  CHECK_EQUAL(waitpid(pid, &status, 0), pid);
  CHECK_EQUAL(status, 0);
}

int main(void) {
  omp_init_lock(&lock);
  omp_init_lock(&mine);
  omp_init_nest_lock(&nest);
#pragma omp parallel
  nap_us(1);
  pthread_t thread;
  CHECK_EQUAL(pthread_create(&thread, NULL, holder, NULL), 0);
  CHECK(wait_until(&held, 1));
  omp_set_lock(&mine);
  fork_and_check(3);
  fork_and_check(1);
  omp_unset_lock(&mine);
  set_to(&release, 1);
  CHECK_EQUAL(pthread_join(thread, NULL), 0);
#pragma omp parallel
#pragma omp critical
  nap_us(1);
  return check_end();
}
