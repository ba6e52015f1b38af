// A container that lets nobody place memory: everything works, one warning says so, and no call claims that a page
// moved.
// compilers: gcc
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <omp.h>
#include <ompx_locality.h>
#include <stddef.h>
#include <sys/prctl.h>
#include "numa_check.h"

static void deny(void) {
#define DENY(call) \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)
  struct sock_filter filter[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
                                 DENY(SYS_mbind), DENY(SYS_move_pages), DENY(SYS_set_mempolicy), DENY(SYS_get_mempolicy),
                                 BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) perror("seccomp"), exit(2);
}

static void use(char *p, size_t bytes) {
  CHECK(p != NULL);
  if (p) memset(p, 1, bytes);
  ompx_free(p);
}

int main(void) {
  enum { bytes = 50 * kPage };
  int said = open("/tmp/denied.txt", O_RDWR | O_CREAT | O_TRUNC, 0600), before = dup(2);
  CHECK_EQUAL(omp_get_num_procs(), kNodes * kCpusPerNode);  // or nothing of the runtime would be linked
  deny();
  dup2(said, 2);
  for (int i = 0; i < 3; ++i) {
    use(ompx_malloc_policy(bytes, OMPX_POLICY_FINE), bytes);
    use(ompx_malloc_policy(bytes, OMPX_POLICY_COARSE), bytes);
    use(ompx_malloc_policy(10, OMPX_POLICY_COARSE), 10);
    use(ompx_alloc_interleaved(bytes), bytes);
    use(ompx_alloc_block_cyclic(bytes, kPage), bytes);
    use(ompx_alloc_block_cyclic(5000 * kPage, kPage), 5000 * kPage);
  }
  char *p = fresh_pages(50);
  memset(p, 1, bytes);
  CHECK_EQUAL(ompx_migrate(p, bytes, 2), EPERM);
  CHECK_EQUAL(ompx_fetch(p, bytes), EPERM);
  CHECK_EQUAL(ompx_next_touch(p, bytes), EPERM);
  CHECK_EQUAL(p[bytes - 1], 1);
  dup2(before, 2);
  char text[4096];
  ssize_t n = pread(said, text, sizeof text - 1, 0);
  text[n > 0 ? n : 0] = 0;
  char *first = strstr(text, "memory cannot be placed");
  if (!first || strstr(first + 1, "memory cannot")) printf("one warning was to be said, not: '%s'\n", text), ++check_failures;
  return check_end();
}
