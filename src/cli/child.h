// A program run as our child, as if it had been started without us: same process group and terminal, its own status.
#pragma once
#include <sys/types.h>

#include <functional>
#include <string>

namespace einkorn::cli {

struct ChildEnd {
  pid_t pid = 0;
  int status = 0;      // as waitpid(2) gives it
  int exec_error = 0;  // errno's value: it was never started
  // A signal by which a user ends programs came meanwhile, whatever the program made of it; 0: none.
  int interrupted = 0;
  bool timed_out = false;  // it was ended because it took too long
};

// look is called every so many seconds, while a program runs.
struct NowAndThen {
  double seconds;
  std::function<void()> look;
};

// Forks; `exec` replaces the child by the program, or returns errno's value. Waits for its end. Meanwhile signals that
// end or inform a program (SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2) are meant for the program, which gets
// each once: those sent to us alone are passed on to it; those sent to the whole process group (the terminal's keys,
// killpg(3)) it gets itself.
// most_seconds: after so many it gets SIGTERM, and a second later SIGKILL. 0: there is no limit.
ChildEnd run_child(const std::function<int()>& exec, double most_seconds = 0, const NowAndThen* meanwhile = nullptr);

// In a child before exec: `file` becomes that descriptor. False: errno says why not. An empty name leaves it as it is.
bool redirect(const std::string& file, int flags, int descriptor);

// By a clock that nobody sets.
double seconds_now();

// Ends this process as the program ended: with its status, or by the signal that killed it.
[[noreturn]] void end_like(const ChildEnd& child);

}  // namespace einkorn::cli
