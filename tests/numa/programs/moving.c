// Existing pages go where they are sent: migrate, fetch, next touch from each node and by many threads at once. Their
// contents stay.
// seconds: 300
#include <omp.h>
#include <ompx_locality.h>
#include <setjmp.h>
#include <signal.h>
#include "numa_check.h"

/* Few pages: each one that moves alone interrupts all CPUs, which is slow under emulation. */
enum { kPages = 24 };

static char *filled(int node) {
  char *p = fresh_pages(kPages);
  go_to_node(node);
  for (int i = 0; i < kPages; ++i) memset(p + i * kPage, i + 1, kPage);
  for (int i = 0; i < kPages; ++i) CHECK_EQUAL(page_node(p + i * kPage), node);
  return p;
}

static void whole(const char *p) {
  for (int i = 0; i < kPages; ++i)
    for (int k = 0; k < kPage; k += 511) CHECK_EQUAL(p[i * kPage + k], i + 1);
}

static void migrate(void) {
  char *p = filled(0);
  CHECK_EQUAL(ompx_migrate(p + 5 * kPage + 5, 10 * kPage, 2), 0);  // touches 11 pages
  for (int i = 0; i < kPages; ++i) CHECK_EQUAL(page_node(p + i * kPage), i >= 5 && i <= 15 ? 2 : 0);
  for (int node = 0; node < kNodes; ++node) {
    CHECK_EQUAL(ompx_migrate(p, kPages * kPage, node), 0);
    for (int i = 0; i < kPages; ++i) CHECK_EQUAL(page_node(p + i * kPage), node);
  }
  whole(p);
  CHECK_EQUAL(ompx_migrate(p, 1, kNodes), EINVAL);
  CHECK_EQUAL(ompx_migrate(p, 1, -1), EINVAL);
  CHECK_EQUAL(ompx_migrate(p, 0, 1), 0);
  munmap(p, kPages * kPage);
  CHECK_EQUAL(ompx_migrate(p, kPages * kPage, 1), ENOMEM);  // nothing is there
  p = fresh_pages(kPages);                                  // nothing was written yet
  CHECK_EQUAL(ompx_migrate(p, kPages * kPage, 3), 0);
  go_to_node(0);
  for (int i = 0; i < kPages; ++i) p[i * kPage] = 1;
  for (int i = 0; i < kPages; ++i) CHECK_EQUAL(page_node(p + i * kPage), 3);
  munmap(p, kPages * kPage);
}

static void fetch(void) {
  char *p = filled(0);
  for (int node = kNodes - 1; node >= 0; --node) {
    go_to_node(node);
    CHECK_EQUAL(ompx_fetch(p, kPages * kPage), 0);
    for (int i = 0; i < kPages; ++i) CHECK_EQUAL(page_node(p + i * kPage), node);
  }
  whole(p);
  munmap(p, kPages * kPage);
}

static void next_touch_from_each_node(void) {
  char *p = filled(0);
  for (int round = 0; round < kNodes; ++round) {
    CHECK_EQUAL(ompx_next_touch(p, kPages * kPage), 0);
    for (int i = 0; i < kPages; ++i) {
      go_to_node((i + round) % kNodes);
      if (i % 2) p[i * kPage + 99] = (char)(i + 1);
      else CHECK_EQUAL(p[i * kPage + 99], i + 1);
    }
    for (int i = 0; i < kPages; ++i) CHECK_EQUAL(page_node(p + i * kPage), (i + round) % kNodes);
  }
  whole(p);
  /* Pages that are only partly in the range are left alone. */
  go_to_node(1);
  CHECK_EQUAL(ompx_fetch(p, kPages * kPage), 0);
  CHECK_EQUAL(ompx_next_touch(p + 1, 2 * kPage), 0);
  go_to_node(2);
  for (int i = 0; i < 3; ++i) CHECK_EQUAL(p[i * kPage + 5], i + 1);
  for (int i = 0; i < 3; ++i) CHECK_EQUAL(page_node(p + i * kPage), i == 1 ? 2 : 1);
  CHECK_EQUAL(ompx_next_touch(p, kPage - 1), 0);
  CHECK_EQUAL(ompx_next_touch((void *)(uintptr_t)0x10000, kPage), EINVAL);  // not mapped
  munmap(p, kPages * kPage);
}

static void many_at_once(void) {
  enum { pages = 64 };
  char *p = fresh_pages(pages);
  go_to_node(0);
  memset(p, 7, pages * kPage);
  for (int round = 0; round < 2; ++round) {
    CHECK_EQUAL(ompx_next_touch(p, pages * kPage), 0);
    long sum = 0;
#pragma omp parallel num_threads(8) reduction(+ : sum)
    {
      go_to_node(omp_get_thread_num() % kNodes);
#pragma omp barrier
      for (int i = 0; i < pages; ++i) sum += p[i * kPage];  // all on the same pages
    }
    CHECK_EQUAL(sum, 8l * 7 * pages);
  }
  CHECK_EQUAL(ompx_next_touch(p, pages * kPage), 0);
#pragma omp parallel num_threads(8)
  {
    go_to_node(omp_get_thread_num() % kNodes);
#pragma omp barrier
    for (int i = omp_get_thread_num(); i < pages; i += 8) p[i * kPage] = 8;
  }
  int wrong = 0;
  for (int i = 0; i < pages; ++i) wrong += page_node(p + i * kPage) != i % 8 % kNodes;
  CHECK_EQUAL(wrong, 0);
  munmap(p, pages * kPage);
}

static sigjmp_buf back;
static volatile int caught;
static void *volatile caught_at;
static void on_fault(int signal, siginfo_t *info, void *context) {
  (void)signal, (void)context;
  caught++;
  caught_at = info->si_addr;
  siglongjmp(back, 1);
}

/* The program's own faults reach its own handler, installed before or after; faults on armed pages do not. */
static void faults_of_its_own(int after) {
  struct sigaction mine = {0}, old;
  mine.sa_sigaction = on_fault;
  mine.sa_flags = SA_SIGINFO;
  if (!after) sigaction(SIGSEGV, &mine, NULL);
  char *p = filled(0), *none = fresh_pages(1);
  CHECK_EQUAL(ompx_next_touch(p, kPages * kPage), 0);
  if (after) sigaction(SIGSEGV, &mine, NULL);
  CHECK_EQUAL(sigaction(SIGSEGV, NULL, &old), 0);
  CHECK(old.sa_sigaction == on_fault);
  mprotect(none, kPage, PROT_READ);
  int before = caught;
  volatile char *bad = none;
  if (sigsetjmp(back, 1) == 0) *bad = 1;
  CHECK_EQUAL(caught, before + 1);
  CHECK(caught_at == none);
  mprotect(none, kPage, PROT_NONE);
  if (sigsetjmp(back, 1) == 0) (void)*bad;
  CHECK_EQUAL(caught, before + 2);
  bad = (volatile char *)16;
  if (sigsetjmp(back, 1) == 0) *bad = 1;
  CHECK_EQUAL(caught, before + 3);
  go_to_node(2);
  whole(p);
  CHECK_EQUAL(caught, before + 3);
  for (int i = 0; i < kPages; ++i) CHECK_EQUAL(page_node(p + i * kPage), 2);
  mine.sa_handler = SIG_DFL;
  mine.sa_flags = 0;
  sigaction(SIGSEGV, &mine, NULL);
  munmap(p, kPages * kPage);
  munmap(none, kPage);
}

static void faults_before(void) { faults_of_its_own(0); }
static void faults_after(void) { faults_of_its_own(1); }

int main(void) {
  static void (*const steps[])(void) = {migrate, fetch, next_touch_from_each_node, many_at_once, faults_before, faults_after};
  for (unsigned i = 0; i < sizeof steps / sizeof *steps; ++i) {
    printf("step %u\n", i);  // how far it came, should it hang
    fflush(stdout);
    steps[i]();
  }
  return check_end();
}
