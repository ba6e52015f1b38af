// What gcc 13 and later make of omp_all_memory: an address that is null, of kind inout. (gcc 12, which does not know the name, passes
// the same for a null pointer's target.)
// compilers: gcc
// peer gcc: libgomp 12 takes it for an address like any other
#include "check.h"

enum { kRounds = 50 };

// Earlier siblings with any dependence come before it, later ones after it.
static void task_construct(char *all_memory) {
  int x = 0, y = 0, before = -1, after = -1;
#pragma omp task depend(out : x) shared(x)
  {
    nap_us(500);
    set_to(&x, 1);
  }
#pragma omp task depend(inout : y) shared(y)
  {
    nap_us(500);
    set_to(&y, 1);
  }
#pragma omp task depend(inout : all_memory[0]) shared(x, y, before)
  {
    before = value_of(&x) + value_of(&y);
    nap_us(500);
    set_to(&x, 10);
  }
#pragma omp task depend(in : x) shared(x, after)
  after = value_of(&x);
#pragma omp taskwait
  CHECK_EQUAL(before, 2);
  CHECK_EQUAL(after, 10);
}

// With other kinds beside it, which makes gcc's list one of the long form.
static void long_form(char *all_memory) {
  int x = 0, y = 0, before = -1, after = -1;
#pragma omp task depend(in : x) shared(x)
  {
    nap_us(500);
    set_to(&x, 1);
  }
#pragma omp task depend(inout : all_memory[0]) depend(mutexinoutset : y) shared(x, before)
  before = value_of(&x);
#pragma omp task depend(mutexinoutset : y) shared(x, before, after)
  after = before;
#pragma omp taskwait
  CHECK_EQUAL(before, 1);
  CHECK_EQUAL(after, 1);
}

static void depend_object(char *all_memory) {
  omp_depend_t all;
  int x = 0, before = -1;
#pragma omp depobj(all) depend(inout : all_memory[0])
#pragma omp task depend(out : x) shared(x)
  {
    nap_us(500);
    set_to(&x, 1);
  }
#pragma omp task depend(depobj : all) shared(x, before)
  before = value_of(&x);
#pragma omp taskwait
#pragma omp depobj(all) destroy
  CHECK_EQUAL(before, 1);
}

// What waits without a body.
static void waits(char *all_memory) {
  int x = 0, y = 0;
#pragma omp task depend(out : x) shared(x)
  {
    nap_us(500);
    set_to(&x, 1);
  }
#pragma omp task depend(out : y) shared(y)
  {
    nap_us(500);
    set_to(&y, 1);
  }
#pragma omp taskwait depend(inout : all_memory[0])
  CHECK_EQUAL(value_of(&x) + value_of(&y), 2);
#pragma omp task depend(out : x) shared(x)
  {
    nap_us(500);
    set_to(&x, 2);
  }
#pragma omp task if (0) depend(inout : all_memory[0]) shared(x)
  CHECK_EQUAL(value_of(&x), 2);
#pragma omp taskwait
}

int main(void) {
  char *volatile null = NULL;
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < kRounds; ++round) {
    task_construct(null);
    long_form(null);
    depend_object(null);
    waits(null);
    // Inside a task, too.
#pragma omp task
    task_construct(null);
#pragma omp taskwait
  }
  return check_end();
}
