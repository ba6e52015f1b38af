// C++: loops over random access iterators and ranges, lastprivate and reductions of class type.
// peer clang: libomp 19 loses lastprivate where the last chunk of a dynamic loop is stolen
#include <deque>
#include <vector>

#include "check.h"

struct Sum {
  long value = 0;
  Sum() = default;
  Sum(const Sum &other) : value(other.value) {}
  Sum &operator=(const Sum &other) {
    value = other.value;
    return *this;
  }
  ~Sum() { value = -1; }
  Sum &operator+=(const Sum &other) {
    value += other.value;
    return *this;
  }
};
#pragma omp declare reduction(plus : Sum : omp_out += omp_in) initializer(omp_priv = Sum())

int main() {
  std::vector<int> numbers(1000, 1);
#pragma omp parallel for schedule(dynamic, 9)
  for (auto it = numbers.begin(); it < numbers.end(); ++it) *it += int(it - numbers.begin());
  for (int i = 0; i < 1000; ++i) CHECK_EQUAL(numbers[i], i + 1);
  std::deque<long> queue(500, 2);
#pragma omp parallel for schedule(guided)
  for (auto it = queue.end() - 1; it >= queue.begin(); it -= 1) *it *= 2;
  for (long v : queue) CHECK_EQUAL(v, 4);
#pragma omp parallel for schedule(static, 5)
  for (int &v : numbers) v = -v;
  Sum total, last;
#pragma omp parallel for schedule(dynamic) reduction(plus : total) lastprivate(last)
  for (int i = 0; i < 1000; ++i) {
    Sum one;
    one.value = -numbers[i];
    total += one;
    last = one;
  }
  CHECK_EQUAL(total.value, 500500);
  CHECK_EQUAL(last.value, 1000);
  return check_end();
}
