// Reports progress for the given number of milliseconds of a clock of its own, for progress.py.
#include <chrono>
#include <cstdlib>

#include "cli/progress.h"

namespace {
using einkorn::cli::Progress;
std::chrono::milliseconds g_now{0};
}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const int duration = atoi(argv[1]);
  Progress progress([] { return Progress::Clock::time_point(g_now); });
  for (; g_now.count() < duration; g_now += std::chrono::milliseconds(50))
    progress(double(g_now.count()) / duration, "reading");
}
