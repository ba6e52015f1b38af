// The words of the page: program, totals, threads, sources, warnings, as JSON that is safe inside a script element.
#pragma once
#include <string>
#include <vector>
#include <nlohmann/json.hpp>
#include "profile/types.h"
#include "report/html_source.h"

namespace einkorn::report {

// `excerpts` is empty when source text stays out of the page.
nlohmann::json page_meta(const profile::Profile& profile, const std::vector<Excerpt>& excerpts);

// JSON text that cannot end or open anything in HTML: ASCII only, without < > &; invalid UTF-8 becomes U+FFFD.
std::string script_safe(const nlohmann::json& value);

}  // namespace einkorn::report
