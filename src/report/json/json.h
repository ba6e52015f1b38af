// A recording's summary as JSON: docs/report-schema.json says what every field means.
#pragma once
#include <string>
#include <nlohmann/json_fwd.hpp>
#include "profile/metrics.h"
#include "profile/types.h"

namespace einkorn::report {

std::string json_report(const profile::Profile&);
// With thresholds or a baseline of the caller's: those of metric_options() (findings/findings.h), and more.
std::string json_report(const profile::Profile&, profile::MetricOptions);

// A time as reports for programs have it: divided, not multiplied, hence the nearest, with at most nine decimals.
inline double seconds(int64_t ns) { return double(ns) / 1e9; }

// Any JSON as text of ASCII letters, with a line end: names may hold bytes that are no UTF-8, which become U+FFFD, and
// characters that a terminal obeys, which are escaped. indent -1: in one line.
std::string json_text(const nlohmann::json& value, int indent);
std::string json_text(const nlohmann::ordered_json& value, int indent);

}  // namespace einkorn::report
