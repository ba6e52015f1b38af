// detach: a task ends when its body has returned and its event is fulfilled, in either order, from a sibling, from a thread
// that OpenMP did not make, and in a team of one. Waits and successors see the end, not the return.
// peer gcc: threads in a barrier do not hear of an event that a thread outside OpenMP fulfils
#include <pthread.h>

#include "check.h"

static void *fulfills(void *event) {
  nap_us(2000);
  omp_fulfill_event((omp_event_handle_t)(uintptr_t)event);
  return NULL;
}

static void from_sibling(void) {
  for (int i = 0; i < 100; ++i) {
    int bodies = 0, after = 0;
    omp_event_handle_t event;
#pragma omp task detach(event) depend(out : bodies) shared(bodies)
    add_one(&bodies);
#pragma omp task shared(bodies) firstprivate(event)
    {
      if (i % 3 == 0) nap_us(30);
      add_one(&bodies);
      omp_fulfill_event(event);
    }
#pragma omp task depend(in : bodies) shared(bodies, after)
    {
      CHECK_EQUAL(value_of(&bodies), 2);
      after = 1;
    }
#pragma omp taskwait
    CHECK_EQUAL(after, 1);
  }
}

static void from_own_body(void) {
  int ran = 0;
  for (int i = 0; i < 50; ++i) {
    omp_event_handle_t event;
#pragma omp task detach(event) shared(ran)
    {
      add_one(&ran);
      omp_fulfill_event(event);
    }
  }
#pragma omp taskwait
  CHECK_EQUAL(ran, 50);
}

static void from_outside(void) {
  int body = 0, next = 0;
  pthread_t thread;
  omp_event_handle_t event;
#pragma omp taskgroup
  {
#pragma omp task detach(event) depend(out : body) shared(body)
    body = 1;
    pthread_create(&thread, NULL, fulfills, (void *)(uintptr_t)event);
#pragma omp task depend(in : body) shared(next, body)
    next = body + 1;
  }
  CHECK_EQUAL(next, 2);
  pthread_join(thread, NULL);
}

// Outside all regions the program goes on and fulfils the event itself; gcc's library would wait for it.
static void outside_regions(void) {
#ifdef __clang__
  int body = 0, next = 0;
  omp_event_handle_t event;
#pragma omp task detach(event) depend(out : body) shared(body)
  body = 1;
#pragma omp task depend(in : body) shared(body, next)
  next = body + 1;
  CHECK_EQUAL(body, 1);
  CHECK_EQUAL(next, 0);
  omp_fulfill_event(event);
#pragma omp taskwait
  CHECK_EQUAL(next, 2);
#endif
}

int main(void) {
  outside_regions();
#pragma omp parallel
#pragma omp single
  {
    from_sibling();
    from_own_body();
    from_outside();
  }
  // The region's end waits for the event as well.
  int body = 0;
  pthread_t thread;
#pragma omp parallel
#pragma omp single
  {
    omp_event_handle_t event;
#pragma omp task detach(event) shared(body)
    body = 1;
    pthread_create(&thread, NULL, fulfills, (void *)(uintptr_t)event);
  }
  CHECK_EQUAL(body, 1);
  pthread_join(thread, NULL);
  return check_end();
}
