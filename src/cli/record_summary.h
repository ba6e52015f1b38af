// The summary that `einkorn record` prints when the program has ended.
#pragma once
#include <string>
#include <vector>

#include "cli/keep_lines.h"

namespace einkorn::cli {

// The report of the first recording, a line on each of the others, and as the last line the most important finding in
// the program as a whole. On stderr.
// `keep`: each recording gets the source lines that were found for it.
void print_summary(const std::vector<std::string>& files, const KeepLines& keep);

}  // namespace einkorn::cli
