// A summary of a recording for a terminal, or a mail.
#pragma once
#include <string>
#include "profile/metrics.h"
#include "profile/types.h"

namespace einkorn::report {

struct TextOptions {
  unsigned width = 120;  // columns; names are cut to fit, numbers never
  bool color = false;
};

// Ends with a line that names the one thing to look at.
std::string text_report(const profile::Profile&, const TextOptions&);
// With a baseline of the caller's: metric_options() (findings/findings.h), and that.
std::string text_report(const profile::Profile&, const TextOptions&, const profile::MetricOptions&);

}  // namespace einkorn::report
