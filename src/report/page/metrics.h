// The metrics of the page: what each is called and means, for its hover texts; the program's and the source lines'
// values; the grains' as columns of floats. Everything comes from metrics_table(): a new metric is in the page by
// itself.
#pragma once
#include <functional>
#include <nlohmann/json.hpp>
#include "profile/metrics.h"
#include "report/page/data.h"

namespace einkorn::report {

// All that the page shows: of each grain everything, with the machine's distances.
profile::Metrics page_metrics(const profile::Profile&, const profile::Baseline& baseline = {});

// Fills `meta` with metrics, cut_off and distance.
void describe_metrics(const profile::Profile&, const profile::Metrics&, nlohmann::json& meta);
// Fills `columns` with "metric.KEY" of the page's `grains` grains: those that, as `meta` says, some grain has, and that
// the page does not hold anyway (exec, creation). `grain_at(i)`: the profile's index.
void add_metrics(const profile::Metrics&, size_t grains, const std::function<uint32_t(size_t)>& grain_at,
                 const nlohmann::json& meta, Columns& columns);

// To 12 significant bits, 4 digits: half the bytes. What is beyond the threshold stays beyond it.
float rounded(float value, double threshold);

}  // namespace einkorn::report
