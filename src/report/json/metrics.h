// The metrics' part of the JSON report: those of the program, and of each source the spread of its grains'.
#pragma once
#include <nlohmann/json.hpp>
#include "profile/metrics.h"

namespace einkorn::report {

// Metrics of grains that the report sums up by source; the others are with the grains, in the exports.
bool summed_up(profile::Metric);

nlohmann::ordered_json program_metrics(const profile::Metrics&);  // times in seconds: "span_seconds"

class SourceMetrics {
 public:
  SourceMetrics(const profile::Profile&, const profile::Metrics&);
  nlohmann::ordered_json operator()(uint32_t source) const;  // empty: there is nothing to say

 private:
  const profile::Metrics& m_;
  std::vector<uint32_t> begin_, grain_;  // grains by source
};

nlohmann::ordered_json cut_off_curves(const profile::Metrics&);

}  // namespace einkorn::report
