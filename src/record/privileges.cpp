#include "record/privileges.h"
#include <cstddef>
#include <cstdint>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include "record/bare_calls.h"

namespace einkorn::record {

namespace {

constexpr long kNobody = 65534;

#if defined(__x86_64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#else
constexpr uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#endif

// All that a writer calls: it writes to descriptors that it has, reads what it may open, waits, keeps memory, and looks
// whether the program is still there.
constexpr uint32_t kAllowed[] = {
    SYS_write,
    SYS_pwrite64,
    SYS_writev,
    SYS_ftruncate,
    SYS_fsync,
    SYS_fdatasync,
    SYS_close,
    SYS_read,
    SYS_pread64,
    SYS_lseek,
    SYS_fstat,
    SYS_newfstatat,
    SYS_statx,
    SYS_readlinkat,
    SYS_getcwd,
    SYS_mmap,
    SYS_munmap,
    SYS_mprotect,
    SYS_madvise,
    SYS_mremap,
    SYS_brk,
    SYS_futex,
    SYS_clock_gettime,
    SYS_clock_getres,
    SYS_nanosleep,
    SYS_clock_nanosleep,
    SYS_gettimeofday,
    SYS_sched_yield,
    SYS_getpid,
    SYS_getppid,
    SYS_gettid,
    SYS_getuid,
    SYS_geteuid,
    SYS_getgid,
    SYS_getegid,
    SYS_getcpu,
    SYS_rt_sigprocmask,
    SYS_rt_sigpending,
    SYS_rt_sigtimedwait,
    SYS_rt_sigreturn,
    SYS_restart_syscall,
    SYS_sigaltstack,
    SYS_setitimer,
    SYS_getrusage,
    SYS_sched_getaffinity,
    SYS_exit,
    SYS_exit_group,
#if defined(__x86_64__)
    SYS_readlink,
    SYS_stat,
    SYS_time,
#endif
};

// Not one that would change a file.
constexpr uint32_t kWriting = O_ACCMODE | O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY);

constexpr uint32_t argument(int i, bool high = false) {
  return uint32_t(offsetof(seccomp_data, args) + size_t(i) * 8 + (high ? 4 : 0));
}

class CallFilter {
 public:
  void add(sock_filter f) { code_[size_++] = f; }
  void load(size_t at) { add(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, uint32_t(at))); }
  void unless(uint16_t comparison, uint32_t value, uint8_t skip) {
    add(BPF_JUMP(uint16_t(BPF_JMP | comparison | BPF_K), value, 0, skip));
  }
  void end(uint32_t action) { add(BPF_STMT(BPF_RET | BPF_K, action)); }
  void allow_if_equal(uint32_t number) {
    unless(BPF_JEQ, number, 1);
    end(SECCOMP_RET_ALLOW);
  }
  sock_fprog program() { return {size_, code_}; }

 private:
  sock_filter code_[2 * sizeof kAllowed / sizeof *kAllowed + 32];
  uint16_t size_ = 0;
};

}  // namespace

void drop_privileges() {
  bare(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1);
  // Another user means that the kernel makes no core dump of the memory any more, which is the program's, too.
  const long dumpable = bare(SYS_prctl, PR_GET_DUMPABLE);
  if (bare(SYS_geteuid) == 0 || bare(SYS_getuid) == 0) {
    bare(SYS_setgroups, 0, 0);
    bare(SYS_setresgid, kNobody, kNobody, kNobody);
    bare(SYS_setresuid, kNobody, kNobody, kNobody);
  }
  __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  const __user_cap_data_struct none[2] = {};
  bare(SYS_capset, reinterpret_cast<long>(&header), reinterpret_cast<long>(none));
  if (dumpable == 1) bare(SYS_prctl, PR_SET_DUMPABLE, 1);
}

void forbid_system_calls() {
  constexpr uint32_t kRefuse = SECCOMP_RET_ERRNO | 1;  // EPERM
  CallFilter f;
  f.load(offsetof(seccomp_data, arch));
  f.unless(BPF_JEQ, kArchitecture, 1);
  f.add(BPF_STMT(BPF_JMP | BPF_JA, 1));
  f.end(kRefuse);
  f.load(offsetof(seccomp_data, nr));
  for (const uint32_t number : kAllowed) f.allow_if_equal(number);
  f.unless(BPF_JEQ, SYS_openat, 4);
  f.load(argument(2));
  f.add(BPF_STMT(BPF_ALU | BPF_AND | BPF_K, kWriting));
  f.unless(BPF_JEQ, O_RDONLY, 1);
  f.end(SECCOMP_RET_ALLOW);
  f.load(offsetof(seccomp_data, nr));
  // It asks where pages are, and moves none.
  f.unless(BPF_JEQ, SYS_move_pages, 5);
  f.load(argument(3));
  f.unless(BPF_JEQ, 0, 3);
  f.load(argument(3, true));
  f.unless(BPF_JEQ, 0, 1);
  f.end(SECCOMP_RET_ALLOW);
  f.end(kRefuse);
  const sock_fprog program = f.program();
  bare(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, reinterpret_cast<long>(&program));
}

}  // namespace einkorn::record
