/* The cost of a task that is recorded, in instructions, counted as instructions.c does it: without counters, and with the
 * processor's, read by the thread itself. No processor is needed that has any: the program plays the kernel and them.
 *
 * The library finds this program's syscall(): an event is a page in which counter I is on the processor all the time. The
 * instruction that reads it is not allowed here, and is replaced where it is met first, by one that is as short and has
 * the same operands: it reads the time stamp counter. So all else of the path is the recorder's own.
 *
 * border NAME [timed]: also says what a task took, in ns of the fastest of some runs. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include <valgrind/callgrind.h>

#define KEEP() __asm__ volatile("" ::: "memory")

enum { kTasks = 2000, kTimes = 20, kTimed = 10000 };

static long call_kernel(long number, const long *a) {
  long result;
  register long a3 __asm__("r10") = a[3], a4 __asm__("r8") = a[4], a5 __asm__("r9") = a[5];
  __asm__ volatile("syscall" : "=a"(result) : "0"(number), "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(a3), "r"(a4), "r"(a5) : "rcx", "r11", "memory");
  if (result > -4096 && result < 0) {
    errno = (int)-result;
    return -1;
  }
  return result;
}

/* rdpmc is 0f 33, rdtsc 0f 31. */
static void meets_rdpmc(int signal, siginfo_t *info, void *context) {
  (void)signal, (void)info;
  unsigned char *at = (unsigned char *)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
  if (at[0] != 0x0f || at[1] != 0x33) _exit(3);
  const uintptr_t page = (uintptr_t)at & ~4095ul;
  if (mprotect((void *)page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC)) _exit(4);
  at[1] = 0x31;
  VALGRIND_DISCARD_TRANSLATIONS(at - 8, 10); /* what it could not translate ends before it */
}

static long open_event(const struct perf_event_attr *attr) {
  static uint32_t events;
  if (attr->type == PERF_TYPE_SOFTWARE) {
    errno = ENOENT;
    return -1;
  }
  struct sigaction action = {.sa_sigaction = meets_rdpmc, .sa_flags = SA_SIGINFO};
  sigaction(SIGSEGV, &action, NULL);
  sigaction(SIGILL, &action, NULL); /* Valgrind's word for it */
  struct perf_event_mmap_page page = {.lock = 2, .index = 1 + events++ % 6, .offset = 1 << 20, .time_enabled = 5000, .time_running = 5000};
  page.cap_user_rdpmc = page.cap_user_time = 1;
  page.pmc_width = 48;
  page.time_mult = 1;
  const int fd = memfd_create("event", MFD_CLOEXEC);
  if (fd < 0 || write(fd, &page, sizeof page) != (ssize_t)sizeof page || ftruncate(fd, 4096)) return -1;
  return fd;
}

long syscall(long number, ...) {
  long a[6];
  va_list list;
  va_start(list, number);
  for (int i = 0; i < 6; i++) a[i] = va_arg(list, long);
  va_end(list);
  return number == SYS_perf_event_open ? open_event((const struct perf_event_attr *)a[0]) : call_kernel(number, a);
}

static void tasks(long n) {
  for (long i = 0; i < n; i++) {
#pragma omp task
    KEEP();
  }
#pragma omp taskwait
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

int main(int argc, char **argv) {
  const char *name = argc > 1 ? argv[1] : "recorded task";
#pragma omp parallel num_threads(1)
  {
    tasks(kTasks); /* the first time is not counted: see instructions.c */
    CALLGRIND_ZERO_STATS;
    tasks(kTasks);
    CALLGRIND_DUMP_STATS_AT(name);
    printf("%s %d\n", name, kTasks);
    double least = 1e30;
    for (int i = 0; argc > 2 && i < kTimes; i++) {
      const double begin = now();
      tasks(kTimed);
      const double took = (now() - begin) / kTimed;
      if (took < least) least = took;
    }
    if (argc > 2) printf("%s: %.1f ns\n", name, least);
  }
  return 0;
}
