// What of a run is recorded: the options of `einkorn record` that limit it.
#pragma once
#include <CLI/CLI.hpp>

#include <string>
#include <utility>
#include <vector>

namespace einkorn::cli {

struct RecordLimits {
  std::string depth, last, max_size;
  std::vector<std::string> filters;
  bool roi = false;

  bool any() const { return !depth.empty() || !last.empty() || !max_size.empty() || !filters.empty() || roi; }
  void add_options(CLI::App& verb);
  // What the values, that are given, say wrong; empty: nothing.
  std::string check() const;
  // The variables that say the same to the runtime. `program`: where the filters' code lies; an empty list and `wrong` filled in
  // where it has none of a line.
  std::vector<std::pair<std::string, std::string>> environment(const std::string& program, std::string& wrong) const;
};

}  // namespace einkorn::cli
