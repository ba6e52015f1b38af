// A bar on stderr for work that takes over two seconds, when stderr is a terminal; otherwise silent.
#pragma once
#include <chrono>

namespace einkorn::cli {

class Progress {
 public:
  using Clock = std::chrono::steady_clock;
  // `now`: another clock, for tests.
  explicit Progress(Clock::time_point (*now)() = Clock::now) : now_(now), started_(now()) {}
  ~Progress();  // wipes the bar
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // `fraction`: 0 to 1 of the whole; `what` is being done.
  void operator()(double fraction, const char* what);

 private:
  Clock::time_point (*now_)();
  Clock::time_point started_;
  int shown_percent_ = -1;  // -1: nothing drawn
};

}  // namespace einkorn::cli
