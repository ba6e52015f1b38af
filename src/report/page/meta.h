// The words of the page: program, totals, threads, sources, warnings, as JSON that is safe inside a script element.
#pragma once
#include <string>
#include <nlohmann/json.hpp>
#include "profile/metrics.h"
#include "profile/types.h"
#include "report/page/page.h"
#include "report/page/source.h"

namespace einkorn::report {

// `text` is null when source text stays out of the page.
nlohmann::json page_meta(const profile::Profile& profile, const profile::Metrics& metrics, const CitedSource* text);

// The other recording: its times, and what each source line of this one took there.
nlohmann::json page_baseline(const PageBaseline& baseline);

// JSON text that cannot end or open anything in HTML: ASCII only, without < > &; invalid UTF-8 becomes U+FFFD.
std::string script_safe(const nlohmann::json& value);

}  // namespace einkorn::report
