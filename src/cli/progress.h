// A bar on stderr for work that takes over two seconds, when stderr is a terminal; otherwise silent.
#pragma once
#include <chrono>

namespace einkorn::cli {

class Progress {
 public:
  Progress() = default;
  ~Progress();  // wipes the bar
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // `fraction`: 0 to 1 of the whole; `what` is being done.
  void operator()(double fraction, const char* what);

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point started_ = Clock::now();
  int shown_percent_ = -1;  // -1: nothing drawn
};

}  // namespace einkorn::cli
