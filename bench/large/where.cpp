#include "large/where.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <unistd.h>
#include <vector>

extern "C" const char __executable_start;

namespace large {

bool g_asks_where = false;

namespace {

struct Wait {
  double ns = 0;
  long times = 0;
};
std::map<const void*, Wait> g_waits[2];

std::string source_of(const void* place) {
  char program[4096], command[4300];
  const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  if (length <= 0) return {};
  program[length] = 0;
  const auto offset = uintptr_t(place) - uintptr_t(&__executable_start) - 1;  // of the call, not of what follows it
  std::snprintf(command, sizeof command, "addr2line -Csfipe '%s' 0x%zx", program, size_t(offset));
  FILE* lines = popen(command, "r");
  if (!lines) return {};
  std::string text;
  char line[1000];
  while (std::fgets(line, sizeof line, lines)) {
    std::string one = line;
    // What a function is called with is of no help here.
    if (const size_t at = one.rfind(" at "); at != std::string::npos) {
      const size_t open = one.find('(');
      one = one.substr(0, std::min(open, at)) + one.substr(at);
    }
    if (one.find("(inlined by)") == 0 || one.find(" (inlined by)") == 0) one = one.substr(one.find(')') + 1);
    if (one.find("model.h") != std::string::npos || one.find("platform.h") != std::string::npos) continue;
    while (!one.empty() && (one.back() == '\n' || one.back() == ' ')) one.pop_back();
    text += text.empty() ? one : " <" + one;
  }
  pclose(lines);
  return text;
}

}  // namespace

void Waits::add(bool first, const void* place, double ns) {
  Wait& w = g_waits[first ? 0 : 1][place];
  w.ns += ns;
  ++w.times;
}

void Waits::forget() {
  for (auto& waits : g_waits) waits.clear();
}

void Waits::print(size_t most) {
  for (int others = 0; others < 2; ++others) {
    std::vector<std::pair<const void*, Wait>> all(g_waits[others].begin(), g_waits[others].end());
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.second.ns > b.second.ns; });
    double sum = 0;
    for (const auto& [place, w] : all) sum += w.ns;
    std::printf("\n%s: %.0f us\n", others ? "the others" : "thread 0", sum / 1e3);
    for (size_t i = 0; i < std::min(most, all.size()); ++i) {
      const Wait& w = all[i].second;
      std::printf("  %5.1f %% %8.0f ns x %-7ld %s\n", 100 * w.ns / sum, w.ns / double(w.times), w.times,
                  source_of(all[i].first).c_str());
    }
  }
}

}  // namespace large
