#include "cli/child.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <ctime>

namespace einkorn::cli {

namespace {

sigset_t set_of(std::initializer_list<int> signals) {
  sigset_t set;
  sigemptyset(&set);
  for (int s : signals) sigaddset(&set, s);
  return set;
}

// The signals' actions of a time, put back at its end.
class Dispositions {
 public:
  Dispositions() {
    for (size_t i = 0; i < kCount; ++i) sigaction(kSignals[i], nullptr, &saved_[i]);
  }
  void restore() const {
    for (size_t i = 0; i < kCount; ++i) sigaction(kSignals[i], &saved_[i], nullptr);
  }

 private:
  static constexpr int kSignals[] = {SIGINT, SIGQUIT, SIGCHLD};
  static constexpr size_t kCount = sizeof kSignals / sizeof kSignals[0];
  struct sigaction saved_[kCount];
};

// Waits for the child's end in `awaited` signals, which are blocked.
int wait_for(pid_t child, const sigset_t& awaited) {
  for (;;) {
    siginfo_t info;
    int signal = sigwaitinfo(&awaited, &info);
    if (signal == SIGCHLD) {
      int status;
      if (waitpid(child, &status, WNOHANG) == child) return status;
    } else if (signal > 0 && info.si_code <= 0) {
      kill(child, signal);  // sent by a process. The kernel's (the terminal hung up) went to the whole group
    }
  }
}

}  // namespace

ChildEnd run_child(const std::function<int()>& exec) {
  ChildEnd end;
  int failure[2];  // carries errno's value where exec fails; exec itself closes it
  if (pipe2(failure, O_CLOEXEC) != 0) {
    end.exec_error = errno;
    return end;
  }
  Dispositions before;
  signal(SIGCHLD, SIG_DFL);  // ignored, as some parents leave it, it would take the child's status away
  sigset_t all, mask;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &mask);  // none may come between fork and the settings below
  end.pid = fork();
  if (end.pid == 0) {
    before.restore();
    sigprocmask(SIG_SETMASK, &mask, nullptr);
    int error = exec();
    [[maybe_unused]] ssize_t ignored = write(failure[1], &error, sizeof error);
    _exit(127);
  }
  int fork_error = errno;
  close(failure[1]);
  if (end.pid < 0) {
    end.exec_error = fork_error;
  } else {
    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    sigset_t awaited = set_of({SIGCHLD, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2}), blocked = mask;
    for (int s = 1; s < NSIG; ++s)
      if (sigismember(&awaited, s) == 1) sigaddset(&blocked, s);
    sigprocmask(SIG_SETMASK, &blocked, nullptr);
    end.status = wait_for(end.pid, awaited);
    int error;
    if (read(failure[0], &error, sizeof error) == ssize_t(sizeof error)) end.exec_error = error;
    // What came for the program after its end is not for us.
    timespec now{};
    while (sigtimedwait(&awaited, nullptr, &now) > 0) {
    }
  }
  close(failure[0]);
  before.restore();
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  return end;
}

void end_like(const ChildEnd& child) {
  if (!WIFSIGNALED(child.status)) std::exit(WEXITSTATUS(child.status));
  int number = WTERMSIG(child.status);
  // The core of use is the program's. The limit does not keep a core handler behind a pipe from being called; the other
  // does.
  rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  prctl(PR_SET_DUMPABLE, 0);
  signal(number, SIG_DFL);
  sigset_t only = set_of({number});
  sigprocmask(SIG_UNBLOCK, &only, nullptr);
  raise(number);
  std::exit(128 + number);  // a signal that cannot kill us: what a shell would make of it
}

}  // namespace einkorn::cli
