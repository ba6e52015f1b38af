// Loops outside of regions by threads that come and go: each begins anew, whatever those before it did.
#include <pthread.h>

#include "check.h"

static void *work(void *argument) {
  int loops = (int)(intptr_t)argument, dynamic = 0, guided = 0, sections = 0;
  for (int k = 0; k < loops; ++k) {
#pragma omp for schedule(dynamic, 3)
    for (int i = 0; i < 10; ++i) ++dynamic;
#pragma omp for schedule(guided)
    for (int i = 0; i < 20; ++i) ++guided;
#pragma omp sections
    {
#pragma omp section
      ++sections;
#pragma omp section
      ++sections;
    }
  }
  CHECK_EQUAL(dynamic, loops * 10);
  CHECK_EQUAL(guided, loops * 20);
  CHECK_EQUAL(sections, loops * 2);
  return NULL;
}

int main(void) {
  for (int loops = 1; loops < 14; ++loops) {
    pthread_t thread;
    CHECK_EQUAL(pthread_create(&thread, NULL, work, (void *)(intptr_t)loops), 0);
    pthread_join(thread, NULL);
  }
  work((void *)(intptr_t)20);
  return check_end();
}
