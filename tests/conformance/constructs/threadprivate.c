// threadprivate and copyin: each thread its own, filled from the primary thread's where asked.
#include "check.h"

static int number = 11;
static double array[50];
static struct {
  int a;
  char text[16];
} record = {1, "start"};
#pragma omp threadprivate(number, array, record)

int main(void) {
  int n = omp_get_max_threads();
  int *addresses[64] = {0};
#pragma omp parallel
  {
    // The initial value, in every thread.
    CHECK_EQUAL(number, 11);
    CHECK_EQUAL(record.a, 1);
    CHECK(strcmp(record.text, "start") == 0);
    addresses[omp_get_thread_num()] = &number;
    number = omp_get_thread_num();
  }
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < i; ++k) CHECK(addresses[i] != addresses[k]);
  CHECK(addresses[0] == &number);
  for (int round = 0; round < 50; ++round) {
    number = 1000 + round;
    for (int i = 0; i < 50; ++i) array[i] = round + i;
    record.a = -round;
    snprintf(record.text, sizeof record.text, "round %d", round);
#pragma omp parallel copyin(number, array, record)
    {
      CHECK_EQUAL(number, 1000 + round);
      for (int i = 0; i < 50; ++i) CHECK(array[i] == round + i);
      CHECK_EQUAL(record.a, -round);
      CHECK_EQUAL(record.text[6], '0' + (round < 10 ? round : round / 10));
#pragma omp barrier
      number += omp_get_thread_num();
      array[omp_get_thread_num() % 50] = -1;
    }
#pragma omp parallel
    CHECK_EQUAL(number, 1000 + round + omp_get_thread_num());
  }
  // A serialised region works on the encountering thread's.
  number = 5;
#pragma omp parallel if (0) copyin(number)
  number += 1;
  CHECK_EQUAL(number, 6);
  return check_end();
}
