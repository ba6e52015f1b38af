#include "record/companion.h"
#include <cerrno>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <initializer_list>
#include <linux/futex.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>
#include "record/bare_calls.h"
#include "record/privileges.h"
#include "record/system.h"

namespace einkorn::record {

std::atomic<bool> Companion::inside_{false};

namespace {

constexpr size_t kStackBytes = 1 << 20;
constexpr int kParentDied = SIGUSR1, kTooLong = SIGALRM;  // the companion's own: it has no others
constexpr long kAWhile = 200'000;                         // us, of try_for_a_while()

// State of the pair, seen by both. `alive` is a futex: when the companion is gone the kernel sets it to 0 and wakes the
// waiters.
enum Alive : uint32_t { kGone = 0, kRuns = 1, kTells = 2 };
std::atomic<uint32_t> g_alive{kGone};
std::atomic<uint32_t> g_line_bytes{0};
char g_line[1100];
pid_t g_program = 0;
uid_t g_user = 0;
int g_keep = -1;
void (*g_body)() = nullptr;
void (*g_when_left)() = nullptr;
// The thread that made it is gone. Set by the companion's signal handler, for the companion: its orders bind the
// compiler alone.
std::atomic<bool> g_died{false};
std::atomic<bool> g_alone{false};
volatile sig_atomic_t g_trying = 0;  // within try_for_a_while()
sigjmp_buf g_back;

void note_death() {
  g_died.store(true, std::memory_order_release);
  g_when_left();
  const itimerval soon = {{0, kAWhile}, {0, kAWhile}};
  bare(SYS_setitimer, ITIMER_REAL, reinterpret_cast<long>(&soon));
}

void on_signal(int signal) {
  const int error = errno;
  if (signal == kParentDied) {
    note_death();
  } else if (g_trying && g_died.load(std::memory_order_relaxed)) {
    g_trying = g_trying + 1;
    if (g_trying <= 3) return void(errno = error);  // it may have just begun
    siglongjmp(g_back, 1);
  }
  errno = error;
}

// Number of the program's threads, as the kernel counts them; 0: none, or not known.
int threads_of(pid_t pid) {
  char text[512];
  snprintf(text, sizeof text, "/proc/%d/stat", int(pid));
  const ssize_t n = read_file(text, text, sizeof text - 1);
  if (n <= 0) return 0;
  text[n] = 0;
  const char* name_end = strrchr(text, ')');
  int threads = 0;
  // pid (name) state ppid pgrp session tty tpgid flags minflt cminflt majflt cmajflt utime stime cutime cstime priority
  // nice threads
  if (!name_end ||
      sscanf(name_end + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %d", &threads) != 1)
    return 0;
  return threads;
}

// Has the process system call filters? One that the program installed may kill it for making a process.
long g_filters = -1;
long filters() {
  char text[4096];
  const ssize_t n = read_file("/proc/self/status", text, sizeof text - 1);
  text[n < 0 ? 0 : n] = 0;
  const char* line = strstr(text, "\nSeccomp_filters:");
  return line ? strtol(line + 17, nullptr, 10) : 0;
}

// The thread that made this process is gone: the whole program is about to end, or to become another one by exec.
void wait_for_the_others() {
  constexpr int kMost = 1000;  // ms: for one that has called exec, and starts threads at once
  int quiet = 0;
  for (int i = 0; i < kMost && getppid() == g_program && quiet < 20; ++i) {
    // A program that calls exec has one thread, even before its memory is replaced.
    quiet = threads_of(g_program) == 1 ? quiet + 1 : 0;
    timespec pause = {0, 1'000'000};
    nanosleep(&pause, nullptr);
  }
}

int companion_main() {
  bare(SYS_setsid);
  // A pipe to the program's reader must not stay open because of us.
  if (bare(SYS_close_range, 0, g_keep - 1) != 0 || bare(SYS_close_range, g_keep + 1, long(~0u)) != 0)
    for (int fd = 0; fd < 65536; ++fd)
      if (fd != g_keep) bare(SYS_close, fd);
  uint64_t ours = 0;
  for (int signal : {kParentDied, kTooLong}) {
    bare_sigaction(signal, on_signal);
    ours |= uint64_t(1) << (signal - 1);
  }
  drop_privileges();
  bare(SYS_prctl, PR_SET_PDEATHSIG, kParentDied);
  forbid_system_calls();
  if (getppid() != g_program) on_signal(kParentDied);  // it was quicker
  bare_unblock(ours);
  g_body();
  return 0;
}

// The thread that made the companion waits here. It must not touch its thread-local storage, which the companion uses.
void stand_by(long companion) {
  bare(SYS_close, g_keep);
  for (;;) {
    const uint32_t alive = g_alive.load(std::memory_order_acquire);
    // Orders the line before its length; pairs with tell().
    if (uint32_t bytes = g_line_bytes.load(std::memory_order_acquire)) {
      bare(SYS_write, STDERR_FILENO, reinterpret_cast<long>(g_line), long(bytes));
      g_line_bytes.store(0, std::memory_order_relaxed);
      uint32_t tells = kTells;  // not if it is gone by now
      g_alive.compare_exchange_strong(tells, kRuns, std::memory_order_relaxed);
      continue;
    }
    if (alive == kGone) break;
    bare(SYS_futex, reinterpret_cast<long>(&g_alive), FUTEX_WAIT, long(alive), 0);
  }
  bare(SYS_wait4, companion, 0, __WALL, 0);
}

}  // namespace

bool Companion::run(void (*body)(), void (*when_left)(), int keep) {
  if (!kCompanionPossible || keep < 3 || under_valgrind() || filters() != g_filters) return false;
  static void* stack = nullptr;
  if (!stack) stack = map_memory(kStackBytes);
  if (!stack) return false;
  mprotect(stack, 4096, PROT_NONE);
  g_body = body;
  g_when_left = when_left;
  g_keep = keep;
  g_program = getpid();
  g_user = geteuid();
  g_died.store(false, std::memory_order_relaxed);
  g_alone.store(false, std::memory_order_relaxed);
  g_alive.store(kRuns, std::memory_order_relaxed);
  inside_.store(true, std::memory_order_relaxed);
  const int flags = CLONE_VM | CLONE_UNTRACED | CLONE_CHILD_CLEARTID;  // no signal at its end: wait() does not see it
  const long pid = bare_clone(flags, static_cast<char*>(stack) + kStackBytes, &g_alive, companion_main);
  if (pid < 0) {
    inside_.store(false, std::memory_order_relaxed);
    return false;
  }
  stand_by(pid);
  inside_.store(false, std::memory_order_relaxed);
  return true;
}

void Companion::program_begins() { g_filters = filters(); }

bool Companion::is_companion() { return inside_.load(std::memory_order_relaxed) && getpid() != g_program; }

uid_t Companion::user_of_program() { return inside_.load(std::memory_order_relaxed) ? g_user : geteuid(); }

bool Companion::is_another_user() { return inside_.load(std::memory_order_relaxed) && g_user == 0; }

bool Companion::is_alone() {
  if (!is_companion()) return false;
  if (g_alone.load(std::memory_order_relaxed)) return true;
  // The parent's end sends a signal. If it ended before that was set up, or is another user by now, who may not send
  // one, the change of the parent shows it.
  if (!g_died.load(std::memory_order_acquire)) {
    if (getppid() == g_program) return false;
    note_death();
  }
  wait_for_the_others();
  g_alone.store(true, std::memory_order_relaxed);
  return true;
}

bool Companion::tell(const char* line, size_t bytes) {
  if (!is_companion()) return false;
  if (g_alone.load(std::memory_order_relaxed) || bytes > sizeof g_line) return true;  // nobody is left who could
  memcpy(g_line, line, bytes);
  g_line_bytes.store(uint32_t(bytes), std::memory_order_release);
  g_alive.store(kTells, std::memory_order_release);
  syscall(SYS_futex, &g_alive, FUTEX_WAKE, 1, nullptr, nullptr, 0);
  return true;
}

bool Companion::try_for_a_while(void (*f)()) {
  if (!is_companion()) return f(), true;
  static bool failed = false;
  if (g_alone.load(std::memory_order_relaxed) && failed) return false;
  if (sigsetjmp(g_back, 1) != 0) {
    g_trying = 0;
    failed = true;
    return false;
  }
  g_trying = 1;
  if (!failed) f();
  g_trying = 0;
  return !failed;
}

void Companion::forget() {
  inside_.store(false, std::memory_order_relaxed);
  g_line_bytes.store(0, std::memory_order_relaxed);
}

GuardOrAlone::GuardOrAlone(pthread_mutex_t& m) : m_(m), taken_(false) {
  while (!taken_ && !Companion::is_alone()) {
    taken_ = Companion::is_companion() ? lock_within(m_, 100'000'000) : pthread_mutex_lock(&m_) == 0;
  }
}

}  // namespace einkorn::record
