// The cited source lines that go into the page: for every Source with a file and a line, that line and a few around it.
#pragma once
#include <string>
#include <vector>
#include "profile/types.h"

namespace einkorn::report {

struct Excerpt {
  uint32_t first_line = 0;         // 1-based line number of lines[0]
  std::vector<std::string> lines;  // empty when there is none to show
  std::string note;                // why there is none, or why to distrust it; empty: all well
};

// One excerpt a source, in the order of profile.sources. Reads regular files only, each once.
std::vector<Excerpt> cited_source(const profile::Profile& profile);

}  // namespace einkorn::report
