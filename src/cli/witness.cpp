#include "cli/witness.h"

#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <ctime>

namespace einkorn::cli {

namespace {

// Runs until the other end is closed. It has all signals blocked: those that come stay pending, and a Ctrl-Z does not
// stop it.
[[noreturn]] void answer(int socket) {
  unsigned char number;
  while (read(socket, &number, 1) == 1) {
    sigset_t asked;
    sigemptyset(&asked);
    sigaddset(&asked, number);
    const timespec now{};
    const char seen = sigtimedwait(&asked, nullptr, &now) == number;
    if (send(socket, &seen, 1, MSG_NOSIGNAL) != 1) break;
  }
  _exit(0);
}

}  // namespace

Witness::Witness() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return;
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(0);
    prctl(PR_SET_NAME, "einkorn-witness");
    // Whoever waits for the end of our output must not wait for the witness.
    dup2(ends[1], 0);
    if (close_range(1, UINT_MAX, 0) != 0)
      for (int fd = 1; fd < 1024; ++fd) close(fd);
    answer(0);
  }
  close(ends[1]);
  if (pid_ > 0) question_ = ends[0];
  else close(ends[0]);
}

Witness::~Witness() {
  if (question_ < 0) return;
  close(question_);
  kill(pid_, SIGKILL);  // it may be stopped
  waitpid(pid_, nullptr, 0);
}

bool Witness::saw(int signal) const {
  if (question_ < 0) return false;
  // kill(2) of a group goes from member to member, and we may ask before it has reached the witness. Meanwhile it holds
  // the lock on the list of processes. setpgid(2) takes that lock, too, even for a process that does not exist: when it
  // returns, the signal has reached all.
  setpgid(INT_MAX, 1);
  const auto number = static_cast<unsigned char>(signal);
  if (send(question_, &number, 1, MSG_NOSIGNAL) != 1) return false;
  constexpr int kPatienceMs = 2000;  // somebody may have stopped it
  pollfd answered{question_, POLLIN, 0};
  char seen = 0;
  return poll(&answered, 1, kPatienceMs) == 1 && read(question_, &seen, 1) == 1 && seen;
}

}  // namespace einkorn::cli
