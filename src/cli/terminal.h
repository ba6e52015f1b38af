// How a report may look on its output.
#pragma once
#include <string>

#include "report/text/text.h"

namespace einkorn::cli {

// If `fd` is a terminal: in colour, and as wide as the window.
report::TextOptions text_options(int fd);

// What a compiler said, on its way to a terminal: report::terminal_text(), with a compiler's own colours, and tabs.
std::string diagnostic_text(const std::string& said);

}  // namespace einkorn::cli
