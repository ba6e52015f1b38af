/* Tasks of a known number of instructions, recorded with their counters, on a machine whose clock and whose counters count
   instructions: counters WAY.
     calls   the kernel lets nobody read a counter: each border of a grain is a system call, read()
     pages   it does (kernel.perf_user_access), and no border is
     watched page faults and context switches are counted as well: a border is a call where there was one
     none    nothing is counted
   Says how many instructions 2,000 tasks that do nothing took, and asks the kernel how often it was called for them.
   tests/cross/counters.py reads what was recorded. */
// compilers: gcc clang
// run none: EINKORN_RECORD=/out/none.grain -- none
// run calls: /proc/sys/kernel/perf_user_access=0 EINKORN_RECORD=/out/calls.grain EINKORN_RECORD_COUNTERS=cycles,instructions -- calls
// run pages: /proc/sys/kernel/perf_user_access=1 EINKORN_RECORD=/out/pages.grain EINKORN_RECORD_COUNTERS=cycles,instructions -- pages
// run watched: /proc/sys/kernel/perf_user_access=1 EINKORN_RECORD=/out/watched.grain EINKORN_RECORD_COUNTERS=cycles,instructions,page-faults,context-switches -- watched
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { kTasks = 20, kRounds = 250000, kEmpty = 2000 };

/* Two instructions a round. */
static inline void count_down(long rounds) {
#if defined(__aarch64__)
  __asm__ volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(rounds) : : "cc");
#elif defined(__x86_64__)
  __asm__ volatile("1: subq $1, %0\n\tjne 1b" : "+r"(rounds) : : "cc");
#endif
}

/* Calls of read() by this thread so far, as the kernel counts them. */
static long reads(void) {
  char line[64];
  long n = -1;
  FILE *f = fopen("/proc/thread-self/io", "r");
  while (f && fgets(line, sizeof line, f))
    if (sscanf(line, "syscr: %ld", &n) == 1) break;
  if (f) fclose(f);
  return n;
}

/* This thread's own: the recorder's process has the same CPU. */
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

int main(int argc, char **argv) {
  const char *way = argc > 1 ? argv[1] : "none";
#pragma omp parallel num_threads(1)
  for (int i = 0; i < kTasks; ++i) {
#pragma omp task /* counted */
    count_down(kRounds);
#pragma omp taskwait
  }
  long before = 0, after = 0;
  double begin = 0, end = 0;
#pragma omp parallel num_threads(1)
  {
    before = reads();
    begin = now();
    for (int i = 0; i < kEmpty; ++i) {
#pragma omp task /* empty */
      __asm__ volatile("");
    }
#pragma omp taskwait
    end = now();
    after = reads();
  }
  /* One at a task's begin and one at its end; asking how many there were is some, too. */
  const long most = strcmp(way, "watched") == 0 ? kEmpty / 20 : 9;
  const int right = strcmp(way, "calls") == 0 ? after - before >= 2 * kEmpty : after - before <= most;
  printf("%s: %d tasks, %.0f instructions, %ld calls of read()\n", way, kEmpty, end - begin, after - before);
  return before < 0 || !right;
}
