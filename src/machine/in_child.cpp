#include "machine/in_child.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "machine/load.h"
#include "machine/text.h"

namespace einkorn::machine {

namespace {

constexpr int kMostSeconds = 20;
constexpr char kGood = 'G', kRefused = 'R';

void write_all(int fd, const std::string& data) {
  for (size_t at = 0; at < data.size();) {
    const ssize_t n = write(fd, data.data() + at, data.size() - at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    at += size_t(n);
  }
}

[[noreturn]] void be_child(int out, Loader load, const std::string& from) {
  // The program's handlers are not for our faults, and its users want no core file of them.
  for (int s : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGXCPU, SIGALRM, SIGPIPE}) signal(s, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  prctl(PR_SET_DUMPABLE, 0);
  const rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  alarm(kMostSeconds);
  // hwloc tells of errors on standard error; the line that says so is ours.
  if (int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC); nowhere >= 0) dup2(nowhere, 1), dup2(nowhere, 2);
  Machine m;
  std::string why;
  const bool good = load(from, &m, &why);
  write_all(out, good ? kGood + to_json(m) : kRefused + why);
  _exit(0);
}

// All that comes until the other side is closed, or until the time is up.
std::string read_all(int fd) {
  std::string all;
  timespec start;
  clock_gettime(CLOCK_MONOTONIC, &start);
  for (char part[65536]; all.size() <= kMostFileBytes;) {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const long left = (kMostSeconds + 2 - (now.tv_sec - start.tv_sec)) * 1000;
    pollfd ready = {fd, POLLIN, 0};
    const int polled = left > 0 ? poll(&ready, 1, int(left)) : 0;
    if (polled < 0 && errno == EINTR) continue;
    if (polled <= 0) return "";
    const ssize_t n = read(fd, part, sizeof part);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    all.append(part, size_t(n));
  }
  return all;
}

}  // namespace

bool load_in_child(Loader load, const std::string& from, Machine* out, std::string* why) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    *why = text("%s cannot be read in a process of its own: %s", from.c_str(), strerror(errno));
    return false;
  }
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    be_child(ends[1], load, from);
  }
  const int error = errno;
  close(ends[1]);
  std::string answer;
  if (child > 0) {
    answer = read_all(ends[0]);
    // Nobody waits for a child that has closed its end without an answer, or has none in time.
    kill(child, SIGKILL);
    while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {}
  }
  close(ends[0]);
  if (child < 0) *why = text("%s cannot be read in a process of its own: %s", from.c_str(), strerror(error));
  else if (answer.empty())
    *why = text(
        "hwloc, which reads %s, crashed or did not come to an end: the file is damaged. `lstopo FILE.xml` "
        "writes one",
        from.c_str());
  else if (answer[0] == kRefused) *why = answer.substr(1);
  else return load_model_text(answer.substr(1), from, out, why);
  return false;
}

}  // namespace einkorn::machine
