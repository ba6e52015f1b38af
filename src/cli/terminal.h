// How a report may look on its output.
#pragma once
#include "report/text/text.h"

namespace einkorn::cli {

// If `fd` is a terminal: in colour, and as wide as the window.
report::TextOptions text_options(int fd);

}  // namespace einkorn::cli
