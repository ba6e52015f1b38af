// A second recording to hold one against.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "profile/compare.h"
#include "profile/metrics.h"

namespace einkorn::cli {

// Loads a recording for what is compared of it, and frees the rest: two recordings are never in memory at once.
bool load_side(const std::string& file, bool source_lines, const std::function<void(double)>& progress, profile::Side& out,
               std::string& error);

// `report --baseline`: what each grain took in the baseline, for the metrics.
class BaselineFile {
 public:
  // source_lines: for the comparison by line.
  bool load(const std::string& file, bool source_lines, const std::function<void(double)>& progress, std::string& error);
  // Into `out`, which then refers to this object. Returns what the user should know, a sentence, or nothing.
  std::string apply(const profile::Profile& p, profile::Baseline& out);
  const profile::Side& side() const { return side_; }
  const profile::Comparison& comparison() const { return comparison_; }  // of it to what apply() was given

 private:
  std::string file_;
  profile::Side side_;
  profile::Comparison comparison_;
  std::vector<float> exec_;
};

}  // namespace einkorn::cli
