// docs/metrics.md, made from the table of metrics.
#pragma once
#include <string>

namespace einkorn::report {

std::string metrics_page();

}  // namespace einkorn::report
