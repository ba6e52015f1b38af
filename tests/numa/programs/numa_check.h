/* For the programs that run in the emulated machine: asks the kernel, not Einkorn, where pages and threads are. */
#pragma once
#include <errno.h>
#include <stdint.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { kNodes = 4, kCpusPerNode = 2, kPage = 4096 };

static int check_failures;
/* Output goes over a slow serial line: the first failures say enough. */
static inline int check_counted(void) { return __atomic_add_fetch(&check_failures, 1, __ATOMIC_RELAXED) <= 12; }
#define CHECK(x) \
  do { \
    if (!(x) && check_counted()) printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #x); \
  } while (0)
#define CHECK_EQUAL(a, b) \
  do { \
    long check_a = (long)(a), check_b = (long)(b); \
    if (check_a != check_b && check_counted()) \
      printf("%s:%d: %s is %ld, not %s = %ld\n", __FILE__, __LINE__, #a, check_a, #b, check_b); \
  } while (0)

static inline int check_end(void) {
  if (check_failures) printf("%d checks failed\n", check_failures);
  return check_failures != 0;
}

/* The node of the page at p; negative: it has no memory yet (-EFAULT, -ENOENT). */
static inline int page_node(const void *p) {
  void *page = (void *)((unsigned long)p & ~(unsigned long)(kPage - 1));
  int status = -EINVAL;
  if (syscall(SYS_move_pages, 0, 1ul, &page, NULL, &status, 0) != 0) return -errno;
  return status;
}

/* Of a block that need not begin with a page: its whole pages, which are what is placed. */
static inline char *whole_pages(const char *p) { return (char *)(((unsigned long)p + kPage - 1) & ~(unsigned long)(kPage - 1)); }
static inline size_t count_whole_pages(const char *p, size_t bytes) {
  return ((unsigned long)p + bytes) / kPage - (unsigned long)whole_pages(p) / kPage;
}
static inline int whole_page_node(const char *p, size_t page) { return page_node(whole_pages(p) + page * kPage); }
/* In equal parts, one on each node. */
static inline void check_blocked(const char *p, size_t bytes) {
  size_t pages = count_whole_pages(p, bytes), part = (pages + kNodes - 1) / kNodes;
  for (size_t i = 0; i < pages; ++i) CHECK_EQUAL(whole_page_node(p, i), i / part);
}
/* In turn, by their addresses. */
static inline void check_fine(const char *p, size_t pages) {
  unsigned long first = (unsigned long)whole_pages(p) / kPage;
  for (size_t i = 0; i < pages; ++i) CHECK_EQUAL(whole_page_node(p, i), (first + i) % kNodes);
}

/* A hints file about this program, which has no build-id; and the program once more, with that. */
static inline void begin_hints(char *text, char **argv) { sprintf(text, "einkorn-hints 1\nobject %s\n", strrchr(argv[0], '/') + 1); }
static inline void again_with_hints(const char *text, char **argv) {
  setenv("EINKORN_HINTS", text, 1);
  execv("/proc/self/exe", argv);
  perror("execv");
  exit(2);
}

/* The node of the CPU on which the caller runs now. */
static inline int thread_node(void) {
  unsigned cpu = 0, node = 0;
  syscall(SYS_getcpu, &cpu, &node, NULL);
  return (int)node;
}

static inline int wanted_distance(int from, int to) {
  const char *text = getenv("NUMA_DISTANCES");
  for (int i = 0; text && i < from * kNodes + to; ++i) text = strchr(text, ','), text = text ? text + 1 : text;
  return text ? atoi(text) : -1;
}

static inline char *fresh_pages(size_t pages) {
  void *p = mmap(NULL, pages * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) perror("mmap"), exit(2);
  madvise(p, pages * kPage, MADV_NOHUGEPAGE); /* the kernel may merge it with its neighbours, and place 2 MB at once */
  return (char *)p;
}

/* Binds the calling thread to the first CPU of a node. */
static inline void go_to_node(int node) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(node * kCpusPerNode, &set);
  if (sched_setaffinity(0, sizeof set, &set) != 0) perror("sched_setaffinity"), exit(2);
}
