// A recording's subject whose grains can be counted: tests, loops and tasks with a known number each.
#include <omp.h>
#include <stdio.h>

enum { kTasks = 200, kIterations = 64, kChunk = 4, kRegions = 3 };
static long sums[kTasks], total;

__attribute__((noinline)) static long work(long n) {
  long sum = 0;
  for (volatile long i = 0; i < n; ++i) sum += i;
  return sum;
}

__attribute__((noinline)) static void make_tasks(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < kTasks; ++i) {
#pragma omp task firstprivate(i)  // task
    sums[i] = work(2000);
  }
}

__attribute__((noinline)) static void share_loop(void) {
#pragma omp parallel for num_threads(2) schedule(dynamic, kChunk) reduction(+ : total)  // loop
  for (int i = 0; i < kIterations; ++i) total += work(5000);
}

int main(void) {
  make_tasks();
  share_loop();
#pragma omp parallel num_threads(2)
  {
    work(1000);
#pragma omp barrier  // barrier
    work(1000);
  }
  for (int i = 0; i < kTasks; ++i) total += sums[i];
  const long expected = kTasks * (2000L * 1999 / 2) + kIterations * (5000L * 4999 / 2);
  printf("%d regions, %ld\n", kRegions, total);
  return total != expected;
}
