// How a report may look on its output.
#pragma once
#include <string>

#include "report/text/text.h"

namespace einkorn::cli {

// If `fd` is a terminal: in colour, and as wide as the window.
report::TextOptions text_options(int fd);

// A compiler's message as a terminal may show it: as report::terminal_text(), but its colours and tabs stay.
std::string diagnostic_text(const std::string& said);

}  // namespace einkorn::cli
