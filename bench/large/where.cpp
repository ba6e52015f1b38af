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
  void add(double one) { ns += one, ++times; }
};
// The longest first.
template <class Place>
std::vector<std::pair<Place, Wait>> by_time(const std::map<Place, Wait>& waits) {
  std::vector<std::pair<Place, Wait>> all(waits.begin(), waits.end());
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.second.ns > b.second.ns; });
  return all;
}
std::map<const void*, Wait> g_waits[2];
std::map<std::pair<const void*, const void*>, Wait> g_shared;

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

void Waits::add(bool first, const void* place, double ns) { g_waits[first ? 0 : 1][place].add(ns); }

void Waits::add_shared(const void* place, const void* writer, double ns) { g_shared[{place, writer}].add(ns); }

double Waits::shared_ns() {
  double sum = 0;
  for (const auto& [places, w] : g_shared) sum += w.ns;
  return sum;
}

void Waits::forget() {
  g_shared.clear();
  for (auto& waits : g_waits) waits.clear();
}

void Waits::print(size_t most) {
  for (int others = 0; others < 2; ++others) {
    const auto all = by_time(g_waits[others]);
    double sum = 0;
    for (const auto& [place, w] : all) sum += w.ns;
    std::printf("\n%s: %.0f us\n", others ? "the others" : "thread 0", sum / 1e3);
    for (size_t i = 0; i < std::min(most, all.size()); ++i) {
      const Wait& w = all[i].second;
      std::printf("  %5.1f %% %8.0f ns x %-7ld %s\n", 100 * w.ns / sum, w.ns / double(w.times), w.times,
                  source_of(all[i].first).c_str());
    }
  }
  const auto all = by_time(g_shared);
  std::printf("\nfor a line in which others had written something else\n");
  for (size_t i = 0; i < std::min(most, all.size()); ++i) {
    const Wait& w = all[i].second;
    std::printf("  %8.0f us %8.0f ns x %-7ld %s   written: %s\n", w.ns / 1e3, w.ns / double(w.times), w.times,
                source_of(all[i].first.first).c_str(), source_of(all[i].first.second).c_str());
  }
}

}  // namespace large
