// Source lines whose tasks and chunks are not recorded one by one: EINKORN_RECORD_FILTER.
//
//   LIST = ITEM,ITEM...    ITEM = FILE:LINE[=FROM-TO[+FROM-TO...]]
// FILE matches the end of a path. The ranges are hexadecimal: return addresses, in the program's executable, of calls
// into the runtime. `einkorn record --filter` adds them from the debug information, which is not read here. clang's
// programs tell the line themselves if they were compiled with -g.
#pragma once
#include <cstdint>
#include <string_view>
#include "record/format.h"

namespace einkorn::record {

// Does the path end in that of a FILE, at a whole component?
inline bool ends_in(std::string_view path, std::string_view file) {
  return path.ends_with(file) &&
         (path.size() == file.size() || file.starts_with('/') || path[path.size() - file.size() - 1] == '/');
}

class Filter {
 public:
  static constexpr int kMaxLines = 32, kMaxRanges = 1024;

  // Keeps pointers into `list`. False: it is not of that form, or too long.
  bool parse(const char* list);
  bool empty() const { return lines_ == 0; }
  // text: clang's ident_t.psource or nullptr.
  bool matches(Construct, const void* return_address, const char* text) const;

 private:
  struct Line {
    const char* file;
    uint32_t bytes, line;
  };
  struct Range {
    uint64_t from, to;
  };

  Line line_[kMaxLines] = {};
  Range range_[kMaxRanges] = {};
  int lines_ = 0, ranges_ = 0;
  uint64_t base_ = 0;  // of the executable: address in memory - address in the file
};

}  // namespace einkorn::record
