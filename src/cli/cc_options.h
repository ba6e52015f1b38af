// The options of einkorn cc itself, before those of the compiler.
#pragma once

#include <string>
#include <vector>

#include "cli/codelet_compiler.h"

namespace einkorn::cli {

struct CcOptions {
  std::string compiler = "gcc";
  std::string keep;
  bool explain = false;
  CodeletOptions codelets;
};

// Ours stand before the compiler's. Returns how many words they are; or a message.
struct OwnOptions {
  size_t count = 0;
  std::string wrong;
};
OwnOptions read_own(const std::vector<std::string>& words, CcOptions& options);
// The compiler's command: its name, and what is for it.
std::vector<std::string> with_compiler(const CcOptions& options, const std::vector<std::string>& words);

}  // namespace einkorn::cli
