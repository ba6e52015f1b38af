#include "report/nameless.h"
#include <filesystem>
#include <map>
#include <fmt/format.h>
#include "profile/symbols_wanted.h"
#include "report/wording.h"

namespace einkorn::report {

namespace {

constexpr double kLittle = 0.05;  // of the work: not worth a sentence

// Where most of it is, and what would tell.
std::string how_to(const std::string& module, const char* most) {
  const std::string name = printable(std::filesystem::path(module).filename().string());
  if (module.empty())
    return std::string(most) +
           " code that was made at run time: names would come from a file for perf, if its compiler can write one "
           "(/tmp/perf-PID.map), or from what it tells debuggers";
  const profile::WantedSymbols wanted = profile::wanted_symbols(module);
  if (!wanted.here)
    return fmt::format(
        "{0} {1}, which is not on this computer: names would come from a copy of it in a folder that --symbols names",
        most, name);
  std::string from;
  if (!wanted.package.empty()) from = fmt::format("the package {}-dbgsym, ", printable(wanted.package));
  else if (module.find("/site-packages/") != std::string::npos)
    from = "a build of the Python package from its source with -g, ";
  if (!wanted.debug_file.empty()) from += fmt::format("{} in /usr/lib/debug, ", wanted.debug_file);
  return fmt::format(
      "{0} {1}, which is stripped, or another build than was recorded: names would come from {2}or {1} with its symbols "
      "in a folder that --symbols names",
      most, name, from);
}

struct Nameless {
  double all = 0, part = 0;
  double placeless = 0;                   // not in `part`: nothing is known that a name could come from
  std::map<std::string, double> modules;  // parts of it
};

Nameless nameless(const profile::Profile& p, const std::vector<SourceCost>& costs) {
  Nameless out;
  for (const SourceCost& c : costs) {
    const double part = p.times_valid ? double(c.exec) : double(c.grains);
    out.all += part;
    if (c.source >= p.sources.size()) {
      out.placeless += part;
      continue;
    }
    const profile::Source& s = p.sources[c.source];
    if (!s.function.empty() || s.line) continue;
    if (!s.address) {
      out.placeless += part;
      continue;
    }
    out.part += part;
    out.modules[s.module] += part;
  }
  return out;
}

}  // namespace

double named_share(const profile::Profile& p, const std::vector<SourceCost>& costs) {
  const Nameless n = nameless(p, costs);
  return n.all > 0 ? 1 - (n.part + n.placeless) / n.all : 1;
}

std::string about_nameless(const profile::Profile& p, const std::vector<SourceCost>& costs) {
  const auto [all, part, placeless, modules] = nameless(p, costs);
  if (part <= kLittle * all) return "";
  auto most = modules.begin();
  for (auto at = modules.begin(); at != modules.end(); ++at)
    if (at->second > most->second) most = at;
  return fmt::format("No function's name is known for {} of the {}, {}", percent(part, all),
                     p.times_valid ? "work" : "grains",
                     how_to(most->first, p.times_valid ? "most of it in" : "most of them in"));
}

}  // namespace einkorn::report
