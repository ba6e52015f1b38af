// Reports progress for as many milliseconds as it is told, for progress.py.
#include <chrono>
#include <cstdlib>
#include <thread>

#include "cli/progress.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  int duration = atoi(argv[1]);
  einkorn::cli::Progress progress;
  for (int t = 0; t < duration; t += 50) {
    progress(double(t) / duration, "reading");
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}
