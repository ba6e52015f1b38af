// detach with if(0): the creator goes on when the body has returned (OpenMP 5.1, 1.2.5: undeferred task) and may fulfil the
// event itself; taskwait, taskgroup and the region's end wait for the event. Also nested, where the region has one thread.
// Not gcc's programs: libgomp waits for the event of an undeferred task (OpenMP 5.0), and so do they on any runtime.
// compilers: clang
#include <pthread.h>

#include "check.h"

static void *fulfills(void *event) {
  nap_us(2000);
  omp_fulfill_event((omp_event_handle_t)(uintptr_t)event);
  return NULL;
}

static void by_creator(void) {
  for (int i = 0; i < 100; ++i) {
    int body = 0, children = 0;
    omp_event_handle_t event;
#pragma omp taskgroup
    {
#pragma omp task detach(event) if (0) shared(body, children)
      {
#pragma omp task shared(children)
        add_one(&children);
        body = 1;
      }
      CHECK_EQUAL(body, 1);
      omp_fulfill_event(event);
    }
    CHECK_EQUAL(children, 1);
#pragma omp taskgroup
    {
#pragma omp task detach(event) if (0) shared(body)
      body = 2;
#pragma omp task firstprivate(event) shared(body)
      {
        add_one(&body);
        omp_fulfill_event(event);
      }
    }
    CHECK_EQUAL(body, 3);
  }
}

static void from_outside(void (*wait)(void)) {
  int body = 0;
  pthread_t thread;
  omp_event_handle_t event;
#pragma omp task detach(event) if (0) shared(body)
  body = 1;
  CHECK_EQUAL(body, 1);
  pthread_create(&thread, NULL, fulfills, (void *)(uintptr_t)event);
  wait();
  pthread_join(thread, NULL);
}

static void taskwait(void) {
#pragma omp taskwait
}
static void barrier(void) {
#pragma omp barrier
}

int main(void) {
#pragma omp parallel
#pragma omp single
  by_creator();
#pragma omp parallel num_threads(1)
  by_creator();
  by_creator();
#pragma omp parallel
  from_outside(taskwait);
#pragma omp parallel
  from_outside(barrier);
  return check_end();
}
