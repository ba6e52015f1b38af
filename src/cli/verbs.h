// The verbs of `einkorn`: each adds its subcommand and says what runs when it was given.
#pragma once
#include <functional>
#include <string>

namespace CLI {
class App;
}

namespace einkorn::cli {

// Exit statuses of our own (before a program starts), as env(1) and nohup(1) use them.
inline constexpr int kOurError = 125;      // bad option, unwritable output, broken installation
inline constexpr int kCannotRun = 126;     // found, but cannot be run (or not by us)
inline constexpr int kNotFound = 127;      // no such program

using Action = std::function<int()>;

void add_run(CLI::App& app, Action& action);
void add_record(CLI::App& app, Action& action);
void add_report(CLI::App& app, Action& action);

// "einkorn: <message>" on stderr; returns `status`.
int fail(int status, const std::string& message);

// A bar on stderr for work that takes over two seconds, when stderr is a terminal; otherwise silent.
class Progress {
 public:
  ~Progress();
  void operator()(double fraction, const char* what);

 private:
  long long started_ms_ = -1;
  int shown_percent_ = -1;
  bool drawn_ = false;
};

}  // namespace einkorn::cli
