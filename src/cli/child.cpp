#include "cli/child.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <limits>

#include "base/foreign_file.h"
#include "cli/scratch_folder.h"
#include "cli/witness.h"
#include "record/system.h"

namespace einkorn::cli {

namespace {

sigset_t set_of(std::initializer_list<int> signals) {
  sigset_t set;
  sigemptyset(&set);
  for (int s : signals) sigaddset(&set, s);
  return set;
}

const timespec kAtOnce{};

// Waits for the child's end by sigwait on the `awaited` signals, which are blocked. most_seconds, meanwhile: as
// run_child()'s.
void wait_for(ChildEnd& child, const sigset_t& awaited, const Witness& witness, double most_seconds,
              const NowAndThen* meanwhile) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  double until = most_seconds > 0 ? seconds_now() + most_seconds : kNever;
  double looks_at = meanwhile ? seconds_now() + meanwhile->seconds : kNever;
  for (;;) {
    siginfo_t info;
    int signal;
    const double next = std::min(until, looks_at);
    if (next < kNever) {
      const double left = std::clamp(next - seconds_now(), 0.0, 1e6);
      const timespec wait{time_t(left), long(1e9 * (left - double(time_t(left))))};
      signal = sigtimedwait(&awaited, &info, &wait);
      const bool in_vain = signal < 0 && errno == EAGAIN;
      if (in_vain && looks_at < until) {
        meanwhile->look();
        looks_at = seconds_now() + meanwhile->seconds;
      } else if (in_vain) {
        kill(child.pid, child.timed_out ? SIGKILL : SIGTERM);
        child.timed_out = true;
        until = seconds_now() + 1;
      }
    } else {
      signal = sigwaitinfo(&awaited, &info);
    }
    if (ScratchFolder::ends(signal)) child.interrupted = signal;
    if (signal == SIGCHLD) {
      if (waitpid(child.pid, &child.status, WNOHANG) == child.pid) return;
    } else if (signal > 0 && info.si_code <= 0) {
      // Sent by a process: to us alone, or to the group, and then the program has it already. The kernel sends its own
      // (the terminal's keys, its hang-up) to the group.
      if (!witness.saw(signal)) kill(child.pid, signal);
      else {  // of several at once the witness keeps only one
        sigset_t same = set_of({signal});
        sigtimedwait(&same, nullptr, &kAtOnce);
      }
    }
  }
}

}  // namespace

double seconds_now() { return 1e-9 * double(record::monotonic_ns()); }

bool redirect(const std::string& file, int flags, int descriptor) {
  if (file.empty()) return true;
  const int fd = flags & O_CREAT ? base::open_own(file.c_str(), flags, 0600) : open(file.c_str(), flags | O_CLOEXEC);
  if (fd < 0) return false;
  // The descriptor may have been closed, and is what was opened: then exec must not close it.
  return fd == descriptor ? fcntl(fd, F_SETFD, 0) == 0 : dup2(fd, descriptor) == descriptor;
}

ChildEnd run_child(const std::function<int()>& exec, double most_seconds, const NowAndThen* meanwhile) {
  ChildEnd end;
  int failure[2];  // carries errno's value where exec fails; exec itself closes it
  if (pipe2(failure, O_CLOEXEC) != 0) {
    end.exec_error = errno;
    return end;
  }
  struct sigaction before;
  sigaction(SIGCHLD, nullptr, &before);
  signal(SIGCHLD, SIG_DFL);  // if it were ignored, as some parents leave it, the child's status would be lost
  sigset_t all, mask;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &mask);  // none may arrive between fork and the settings below
  const Witness witness;
  end.pid = fork();
  if (end.pid == 0) {
    sigaction(SIGCHLD, &before, nullptr);
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
    sigset_t awaited = set_of({SIGCHLD, SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2}), blocked = mask;
    for (int s = 1; s < NSIG; ++s)
      if (sigismember(&awaited, s) == 1) sigaddset(&blocked, s);
    sigprocmask(SIG_SETMASK, &blocked, nullptr);
    wait_for(end, awaited, witness, most_seconds, meanwhile);
    int error;
    if (read(failure[0], &error, sizeof error) == ssize_t(sizeof error)) end.exec_error = error;
    // Signals that came for the program after its end are not for us.
    for (int late; (late = sigtimedwait(&awaited, nullptr, &kAtOnce)) > 0;)
      if (ScratchFolder::ends(late)) end.interrupted = late;
  }
  close(failure[0]);
  sigaction(SIGCHLD, &before, nullptr);
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  return end;
}

void end_like(const ChildEnd& child) {
  if (!WIFSIGNALED(child.status)) std::exit(WEXITSTATUS(child.status));
  int number = WTERMSIG(child.status);
  // The useful core file is the program's. The limit does not prevent the call of a core handler behind a pipe; the
  // other setting does.
  rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  prctl(PR_SET_DUMPABLE, 0);
  signal(number, SIG_DFL);
  sigset_t only = set_of({number});
  sigprocmask(SIG_UNBLOCK, &only, nullptr);
  raise(number);
  std::exit(128 + number);  // a signal that cannot kill us: the status that a shell would return
}

}  // namespace einkorn::cli
