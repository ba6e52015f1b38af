// A recording's summary as JSON: docs/report-schema.json says what every field means.
#pragma once
#include <string>
#include "profile/metrics.h"
#include "profile/types.h"

namespace einkorn::report {

std::string json_report(const profile::Profile&);
// With thresholds or a baseline of the caller's: those of metric_options() (findings.h), and more.
std::string json_report(const profile::Profile&, profile::MetricOptions);

}  // namespace einkorn::report
