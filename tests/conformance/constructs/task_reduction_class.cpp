// Task reductions of a class: every copy that is made is destroyed, and no thread's copy is lost.
#include "check.h"

static int alive;

struct Counter {
  long value;
  long* memory;
  Counter(long v = 0) : value(v), memory(new long[4]{v, v, v, v}) { add_one(&alive); }
  Counter(const Counter& other) : Counter(other.value) {}
  Counter& operator=(const Counter&) = delete;
  ~Counter() {
    delete[] memory;
    __atomic_sub_fetch(&alive, 1, __ATOMIC_SEQ_CST);
  }
  void add(long more) {
    value += more;
    for (int i = 0; i < 4; ++i) memory[i] += more;
  }
};
#pragma omp declare reduction(+ : Counter : omp_out.add(omp_in.value))

int main() {
  {
    Counter total(5);
#pragma omp parallel
#pragma omp single
    for (int round = 0; round < 20; ++round) {
#pragma omp taskgroup task_reduction(+ : total)
      for (int i = 0; i < 50; ++i) {
#pragma omp task in_reduction(+ : total)
        {
          total.add(1);
          if (i % 10 == 0) nap_us(1);
        }
      }
      Counter loop(0);
#pragma omp taskloop reduction(+ : loop)
      for (int i = 0; i < 100; ++i) loop.add(i);
      CHECK_EQUAL(loop.value, 4950);
    }
    CHECK_EQUAL(total.value, 5 + 20 * 50);
    CHECK_EQUAL(total.memory[3], 5 + 20 * 50);
    Counter team(1);
#pragma omp parallel reduction(task, + : team)
    for (int i = 0; i < 20; ++i) {
#pragma omp task in_reduction(+ : team)
      team.add(2);
    }
    CHECK_EQUAL(team.value, 1 + 40 * omp_get_max_threads());
    CHECK_EQUAL(alive, 2);
  }
  CHECK_EQUAL(alive, 0);
  return check_end();
}
