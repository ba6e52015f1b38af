// mutexinoutset: in any order but never two at once, also where tasks need two of them; after and before all others.
// depobj; iterators.
#include "check.h"

static void exclusive(void) {
  int a = 0, b = 0, inside_a = 0, inside_b = 0;
#pragma omp task depend(out : a) shared(a)
  {
    nap_us(500);
    a = 100;
  }
  for (int i = 0; i < 60; ++i) {
#pragma omp task depend(mutexinoutset : a) shared(a, inside_a)
    {
      CHECK(a >= 100);
      CHECK_EQUAL(add_one(&inside_a), 1);
      a++;
      __atomic_sub_fetch(&inside_a, 1, __ATOMIC_SEQ_CST);
    }
#pragma omp task depend(mutexinoutset : a, b) shared(a, b, inside_a, inside_b)
    {
      CHECK_EQUAL(add_one(&inside_a), 1);
      CHECK_EQUAL(add_one(&inside_b), 1);
      a++, b++;
      __atomic_sub_fetch(&inside_b, 1, __ATOMIC_SEQ_CST);
      __atomic_sub_fetch(&inside_a, 1, __ATOMIC_SEQ_CST);
    }
#pragma omp task depend(mutexinoutset : b) shared(b, inside_b)
    {
      CHECK_EQUAL(add_one(&inside_b), 1);
      b++;
      __atomic_sub_fetch(&inside_b, 1, __ATOMIC_SEQ_CST);
    }
  }
#pragma omp task depend(in : a, b) shared(a, b)
  {
    CHECK_EQUAL(a, 220);
    CHECK_EQUAL(b, 120);
  }
#pragma omp taskwait
}

static void objects(void) {
  int value = 0;
  omp_depend_t reads, writes;
#pragma omp depobj(reads) depend(in : value)
#pragma omp depobj(writes) depend(inout : value)
  for (int i = 0; i < 50; ++i) {
#pragma omp task depend(depobj : writes) shared(value)
    value++;
#pragma omp task depend(depobj : reads) shared(value) firstprivate(i)
    CHECK_EQUAL(value, i + 1);
  }
#pragma omp depobj(reads) update(out)
#pragma omp task depend(depobj : reads) shared(value)
  value = -1;
#pragma omp task depend(in : value) shared(value)
  CHECK_EQUAL(value, -1);
#pragma omp taskwait
#pragma omp depobj(reads) destroy
#pragma omp depobj(writes) destroy
}

static void iterators(void) {
  int parts[16] = {0}, sum = 0;
  for (int i = 0; i < 16; ++i) {
#pragma omp task depend(out : parts[i]) shared(parts) firstprivate(i)
    {
      nap_us(30);
      parts[i] = i;
    }
  }
#pragma omp task depend(iterator(int i = 0 : 16), in : parts[i]) shared(parts, sum)
  for (int i = 0; i < 16; ++i) sum += parts[i];
#pragma omp taskwait
  CHECK_EQUAL(sum, 120);
}

int main(void) {
#pragma omp parallel
#pragma omp single
  {
    exclusive();
    objects();
    iterators();
  }
  return check_end();
}
