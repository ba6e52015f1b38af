// The file in which the costs of the runtime's constructs are kept: which of them are those of today, and when they are
// measured again.
#pragma once
#include <filesystem>
#include <functional>
#include <string>

#include "profile/costs.h"

namespace einkorn::cli {

// Who measures. Apart from what is kept, so that a test can answer as a busy machine would, or one whose host has moved
// its CPUs.
struct CostsMeasurer {
  std::function<double()> line;                    // a cache line between two CPUs now, ns; negative: cannot be told
  std::function<profile::RuntimeCosts()> measure;  // threads 0: others had the CPUs
  // What threads have of the memory's bandwidth. same_distance: CPUs are as far from each other as these costs' are.
  std::function<void(profile::RuntimeCosts&, bool same_distance)> ask_streams;
};

// What the file keeps for the line of now, or what is measured if it has none; threads 0 if neither is possible. What
// is measured is kept in the file, whose folder is made; an empty name: nowhere. what: the file's first line; a file
// with another is of another version, build or machine, and is written anew. Where it could not be measured, it is
// tried again ten minutes later. Only one process measures at a time (costs.lock beside the file), others go without.
profile::RuntimeCosts kept_or_measured(const std::filesystem::path& file, const std::string& what,
                                       const CostsMeasurer& measurer);

}  // namespace einkorn::cli
