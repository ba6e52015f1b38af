#include "cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>

namespace einkorn::cli {

Progress::~Progress() {
  if (shown_percent_ >= 0) fmt::print(stderr, "\r{:63}\r", "");
}

void Progress::operator()(double fraction, const char* what) {
  int percent = int(std::clamp(fraction, 0.0, 1.0) * 100);
  if (percent == shown_percent_ || now_() - started_ < std::chrono::seconds(2) || !isatty(STDERR_FILENO)) return;
  shown_percent_ = percent;
  fmt::print(stderr, "\r{:<24} [{:<30}] {:3}%", what, std::string(size_t(percent) * 30 / 100, '='), percent);
  std::fflush(stderr);
}

}  // namespace einkorn::cli
