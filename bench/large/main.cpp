// bench/large: the runtime's own sources on machines of up to 512 CPUs that nobody has here. docs/large.md.
//
//     build/bench/large [--machines epyc-2x64-nps4,uv2000-24x8] [--threads 2,8,64] [--rows barrier,region] [--line NS] [--where N]
//
// --line: a cache line's way between any two CPUs, in place of what the machine says. --where N: in the code, at which
// N places did threads wait longest?
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "large/rows.h"
#include "large/where.h"
#include "machine/load.h"

namespace {

std::vector<std::string> parts(const std::string& text) {
  std::vector<std::string> all;
  for (size_t at = 0; at <= text.size();) {
    const size_t comma = std::min(text.find(',', at), text.size());
    all.push_back(text.substr(at, comma - at));
    at = comma + 1;
  }
  return all;
}

[[noreturn]] void wrong(const std::string& what) {
  std::fprintf(stderr, "large: %s\n", what.c_str());
  std::exit(2);
}

std::string cell(const large::Row& row, const large::Figure& f) {
  if (f.stuck) return "stuck";
  char text[160];
  if (row.is_part) return std::snprintf(text, sizeof text, "%.2f", f.ours), text;
  int n = std::snprintf(text, sizeof text, "%.0f", f.ours);
  if (f.best >= 0) n += std::snprintf(text + n, sizeof text - size_t(n), "; %s %.0f", f.by, f.best);
  if (f.bound >= 0) std::snprintf(text + n, sizeof text - size_t(n), "; at least %.0f", f.bound);
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> machines{"epyc-2x64-nps4", "xeon-2x56", "uv2000-24x8", "bcs-16x8", "numa:1 l3:1 core:72"},
      counts{"2", "8", "32", "64", "128", "192"}, chosen;
  double line = 0;
  int where = 0;
  for (int i = 1; i < argc; ++i) {
    if (i + 1 == argc) wrong(std::string(argv[i]) + " needs a value");
    if (!std::strcmp(argv[i], "--machines")) machines = parts(argv[++i]);
    else if (!std::strcmp(argv[i], "--threads")) counts = parts(argv[++i]);
    else if (!std::strcmp(argv[i], "--rows")) chosen = parts(argv[++i]);
    else if (!std::strcmp(argv[i], "--line")) line = std::atof(argv[++i]);
    else if (!std::strcmp(argv[i], "--where")) where = std::atoi(argv[++i]), large::g_asks_where = true;
    else wrong(std::string("there is no ") + argv[i] + "; there are --machines, --threads, --rows, --line and --where");
  }
  for (const std::string& asked : machines) {
    einkorn::machine::Machine m;
    std::string why;
    if (!einkorn::machine::load(asked, &m, &why)) wrong(why);
    std::printf("\n%s, %d CPUs\n\n| |", m.name.c_str(), m.pu_count());
    std::vector<int> threads;
    for (const std::string& count : counts)
      if (const int n = std::atoi(count.c_str()); n >= 2 && n <= 512 && n <= m.pu_count()) threads.push_back(n);
    for (const int n : threads) std::printf(" %d |", n);
    std::printf("\n|---|");
    for (size_t i = 0; i < threads.size(); ++i) std::printf("---|");
    std::printf("\n");
    for (const large::Row& row : large::rows()) {
      bool wanted = chosen.empty() && !row.takes_minutes;
      for (const std::string& name : chosen) wanted |= name == row.name;
      if (!wanted) continue;
      std::printf("| %s |", row.what);
      for (const int n : threads) {
        const large::Distances d(m, n, line);
        std::printf(" %s |", cell(row, row.measure(d, large::Own{})).c_str());
        if (where > 0) large::Waits::print(size_t(where)), large::Waits::forget();
        std::fflush(stdout);
      }
      std::printf("\n");
    }
  }
  return 0;
}
