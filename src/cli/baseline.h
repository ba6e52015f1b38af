// A second recording to compare one with.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "profile/compare.h"
#include "profile/metrics.h"
#include "profile/symbol_options.h"

namespace einkorn::cli {

// Loads a recording, keeps what is compared and frees the rest: two recordings are never in memory at once.
// symbols: for lines and names; nullptr: without.
bool load_side(const std::string& file, const profile::SymbolOptions* symbols,
               const std::function<void(double)>& progress, profile::Side& out, std::string& error);

// `report --baseline`: each grain's execution in the baseline, for the metrics.
class BaselineFile {
 public:
  // symbols: for the comparison by line; nullptr: there is none.
  bool load(const std::string& file, const profile::SymbolOptions* symbols, const std::function<void(double)>& progress,
            std::string& error);
  // Fills in `out`, which then refers to this object. Returns a sentence that the user should read, or nothing.
  std::string apply(const profile::Profile& p, profile::Baseline& out);
  const profile::Side& side() const { return side_; }
  const profile::Comparison& comparison() const {
    return comparison_;
  }  // comparison of the baseline with the profile given to apply()

 private:
  std::string file_;
  profile::Side side_;
  profile::Comparison comparison_;
  std::vector<float> exec_;
};

}  // namespace einkorn::cli
