// What a report may look like where it goes.
#pragma once
#include "report/text.h"

namespace einkorn::cli {

// In colour, and as wide as the window, where `fd` is a terminal.
report::TextOptions text_options(int fd);

}  // namespace einkorn::cli
