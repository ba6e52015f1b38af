// The options of `einkorn record` that limit what is recorded.
#pragma once
#include <CLI/CLI.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace einkorn::cli {

struct RecordLimits {
  std::string depth, last, max_size;
  std::vector<std::string> filters;
  bool roi = false;

  bool any() const { return !depth.empty() || !last.empty() || !max_size.empty() || !filters.empty() || roi; }
  uint64_t most_bytes() const;  // of a recording, after check(); 0: no limit
  void add_options(CLI::App& verb);
  // What is wrong with the given values; empty: nothing.
  std::string check() const;
  // The variables that tell the runtime the same. `program`: the file that has the filters' code; if it has none of a
  // line, the list is empty and `wrong` is filled in.
  std::vector<std::pair<std::string, std::string>> environment(const std::string& program, std::string& wrong) const;
};

}  // namespace einkorn::cli
