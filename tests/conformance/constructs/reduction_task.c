// reduction(task, ...) on parallel, for and sections: tasks of any thread take part. Many constructs in a row, and one
// inside the other.
#include "check.h"

static void on_parallel(int tasks) {
  long sum = 3;
  long array[3] = {0, 10, 0};
#pragma omp parallel reduction(task, + : sum) reduction(task, + : array[1 : 1])
  {
    sum += 1000000;
    for (int i = 0; i < tasks; ++i) {
#pragma omp task in_reduction(+ : sum, array[1 : 1]) firstprivate(i)
      {
        sum += i;
        array[1] += 1;
        if (i % 8 == 0) nap_us(1);
#pragma omp task in_reduction(+ : sum)
        sum += 1;
      }
    }
  }
  long n = omp_get_max_threads();
  CHECK_EQUAL(sum, 3 + n * (1000000 + tasks * (tasks - 1L) / 2 + tasks));
  CHECK_EQUAL(array[1], 10 + n * tasks);
}

static void on_for(int rounds) {
  static long sum, product;
#pragma omp parallel
  for (int round = 0; round < rounds; ++round) {
#pragma omp single
    sum = round, product = 1;
#pragma omp for reduction(task, + : sum) schedule(static)
    for (int i = 0; i < 40; ++i) {
      sum += 1;
#pragma omp task in_reduction(+ : sum)
      sum += i;
    }
    CHECK_EQUAL(sum, round + 40 + 780);
#pragma omp barrier
#pragma omp for reduction(task, + : sum) reduction(task, * : product) schedule(dynamic, 3)
    for (int i = 0; i < 30; ++i) {
#pragma omp task in_reduction(+ : sum) in_reduction(* : product)
      {
        sum -= 1;
        if (i < 10) product *= 2;
      }
    }
    CHECK_EQUAL(sum, round + 40 + 780 - 30);
    CHECK_EQUAL(product, 1024);
#pragma omp barrier
  }
}

static void on_sections(void) {
  static long sum;
  sum = 0;
#pragma omp parallel
  {
#pragma omp sections reduction(task, + : sum)
    {
#pragma omp section
      for (int i = 0; i < 10; ++i) {
#pragma omp task in_reduction(+ : sum)
        sum += 1;
      }
#pragma omp section
      {
        sum += 100;
#pragma omp taskgroup task_reduction(+ : sum)
        {
#pragma omp task in_reduction(+ : sum)
          sum += 1000;
        }
      }
    }
    CHECK_EQUAL(sum, 1110);
  }
}

static void nested(void) {
  long outer = 0;
#pragma omp parallel num_threads(2) reduction(task, + : outer)
  {
    long inner = 0;
#pragma omp parallel num_threads(2) reduction(task, + : inner)
    {
#pragma omp task in_reduction(+ : inner)
      inner += 1;
    }
#pragma omp task in_reduction(+ : outer)
    outer += inner;
  }
  CHECK(outer >= 1 && outer <= 4);
}

int main(void) {
  for (int round = 0; round < 20; ++round) on_parallel(50);
  on_for(20);
  for (int round = 0; round < 10; ++round) on_sections();
  omp_set_max_active_levels(2);
  for (int round = 0; round < 10; ++round) nested();
  return check_end();
}
