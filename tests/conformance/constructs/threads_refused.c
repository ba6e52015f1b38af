// The system makes no more threads: regions get those that there are, and go on; later ones get more when there are more.
// Case `refused` has a pthread_create of its own in the way, case `nproc` a limit of the kernel's (ulimit -u).
// run refused:
// run nproc: -- nproc
// stderr refused: makes no more threads
// stderr nproc: makes no more threads
// peer gcc: libgomp 12 ends the program
// peer clang: libomp 19 ends the program
// threads: 2
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sys/resource.h>
#include "check.h"

static int allowed = 1 << 30;

int pthread_create(pthread_t *id, const pthread_attr_t *attr, void *(*fn)(void *), void *arg) {
  int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
  *(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
  return __atomic_fetch_sub(&allowed, 1, __ATOMIC_SEQ_CST) > 0 ? real(id, attr, fn, arg) : EAGAIN;
}

// A region that asks for 8 threads; all that is in it must be done by those that it gets. Their number.
static int region(void) {
  int threads = 0, sum = 0, tasks = 0, chunks = 0, arrived = 0;
#pragma omp parallel num_threads(8) reduction(+ : sum)
  {
    int n = omp_get_num_threads();
    add_one(&arrived);
#pragma omp barrier
    CHECK_EQUAL(value_of(&arrived), n);
#pragma omp for schedule(static)
    for (int i = 0; i < 100; ++i) sum += i;
#pragma omp for schedule(dynamic, 3)
    for (int i = 0; i < 100; ++i) add_one(&chunks);
#pragma omp single
    {
      threads = n;
      for (int i = 0; i < 50; ++i) {
#pragma omp task shared(tasks)
        add_one(&tasks);
      }
    }
  }
  CHECK_EQUAL(sum, 4950);
  CHECK_EQUAL(chunks, 100);
  CHECK_EQUAL(tasks, 50);
  return threads;
}

// Regions in a region ask for 4 each, and teams for 3.
static void nested(void) {
  int inner = 0, members = 0, teams = 0, league = 0;
#pragma omp parallel num_threads(3)
  {
    add_one(&members);
#pragma omp parallel num_threads(4)
    {
#pragma omp single
      add_one(&inner);
      CHECK(omp_get_num_threads() >= 1 && omp_get_num_threads() <= 4);
    }
  }
  CHECK_EQUAL(inner, members);
#pragma omp teams num_teams(3)
  {
    add_one(&teams);
    if (omp_get_team_num() == 0) league = omp_get_num_teams();
#pragma omp parallel num_threads(4)
    nap_us(1);
  }
  CHECK_EQUAL(teams, league);
}

static void refuse(void) {
  set_to(&allowed, 0);
  CHECK_EQUAL(region(), 1);
  nested();
  set_to(&allowed, 2);
  CHECK_EQUAL(region(), 3);
  CHECK_EQUAL(region(), 3);
  nested();
  for (int more = 1; more <= 4; ++more) {
    set_to(&allowed, 1);
    CHECK_EQUAL(region(), 3 + more);
  }
  set_to(&allowed, 1 << 30);
  CHECK_EQUAL(region(), 8);
  nested();
  CHECK_EQUAL(region(), 8);
}

static void limit(void) {
  // The limit counts a user's threads, and is not for root.
  if (geteuid() == 0) CHECK_EQUAL(setuid((uid_t)(20000 + getpid() % 40000)), 0);
  struct rlimit few = {3, 3};
  CHECK_EQUAL(setrlimit(RLIMIT_NPROC, &few), 0);
  for (int i = 0; i < 3; ++i) {
    int n = region();
    CHECK(n >= 1 && n <= 3);
    nested();
  }
}

int main(int argc, char **argv) {
  omp_set_max_active_levels(3);
  if (argc > 1 && strcmp(argv[1], "nproc") == 0) limit();
  else refuse();
  return check_end();
}
