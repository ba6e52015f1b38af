// Directives in the shapes that compilers make hard to find again. A directive's line ends in "@construct"; the test
// reads this file for them. noinline, used and volatile keep the shapes at every optimization level.
#include <cstdio>
#define NOINLINE __attribute__((noinline))

volatile int sink;

namespace deep {
template <class T>
struct Box {
  NOINLINE T sum(T n) {
    T s = 0;
#pragma omp parallel                                     // @parallel
    {
#pragma omp critical(one)                                // @critical
      s += n;
    }
    return s;
  }
};
}  // namespace deep

// Inlined into its callers at -O2.
static inline void small(int n) {
#pragma omp task                                         // @task
  sink = n;
#pragma omp taskwait                                     // @taskwait
  sink = n + 1;
}

// The wait stands last: compilers jump to it at -O2, and the return address is the caller's.
NOINLINE void tail(int n) {
#pragma omp task firstprivate(n)                         // @task
  {
#pragma omp critical(two)                                // @critical
    sink = n;
    sink = 2 * n;
  }
#pragma omp taskwait                                     // @taskwait
}

// Called with a constant: a clone at -O2 and above.
static NOINLINE int clone_me(int n, int k) {
  int x = 0;
#pragma omp task shared(x) firstprivate(n, k)            // @task
  x = n * k + sink;
#pragma omp taskwait                                     // @taskwait
  return x;
}

NOINLINE int fib(int n) {
  int x, y;
  if (n < 2) return n;
#pragma omp task shared(x) firstprivate(n)               // @task
  x = fib(n - 1);
#pragma omp task shared(y) firstprivate(n)               // @task
  y = fib(n - 2);
#pragma omp taskwait                                     // @taskwait
  return x + y;
}

NOINLINE void loops(int n) {
#pragma omp parallel                                     // @parallel
  {
    sink = n;
#pragma omp for schedule(dynamic) nowait                 // @loop
    for (int i = 0; i < n; ++i) sink = i;
    // Last in the region: a jump out of the outlined function, into the runtime that called it.
#pragma omp barrier                                      // @barrier
  }
}

int main() {
  deep::Box<int> box;
  sink = box.sum(3);
  auto lambda = [](int k) {
#pragma omp parallel                                     // @parallel
    sink = k;
  };
  lambda(4);
#pragma omp parallel                                     // @parallel
#pragma omp single
  {
    small(1);
    tail(2);
    tail(5);
    sink = clone_me(sink, 7);
    sink = fib(4);
  }
  loops(3);
}
