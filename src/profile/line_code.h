// The inverse of symbols.h: from a source line to the code of a file.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace einkorn::profile {

struct LineCode {
  bool has_lines = false;                                // the file has line information at all
  std::vector<std::pair<uint64_t, uint64_t>> ranges;     // [begin, end) addresses in the file
  std::vector<std::pair<uint64_t, uint64_t>> functions;  // of the source file, the same
};

// For an executable or a shared object, with separate debug information if it is installed. `file` is the end of a
// path.
LineCode code_of_line(const std::string& path, const std::string& file, uint32_t line);

// Of the C or C++ library's: what is inlined from there belongs to the line that uses it.
inline bool is_library_header(std::string_view file) {
  return file.starts_with("/usr/include/") || file.find("/include/c++/") != std::string_view::npos;
}

// Those of the library's functions that were inlined into that line. Looks through all of the file's debug information.
std::vector<std::pair<uint64_t, uint64_t>> inlined_at_line(const std::string& path, const std::string& file,
                                                           uint32_t line);

}  // namespace einkorn::profile
