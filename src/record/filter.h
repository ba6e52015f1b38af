// Source lines whose tasks, chunks and codelets are not recorded one by one: EINKORN_RECORD_FILTER.
//
//   LIST = ITEM,ITEM...    ITEM = FILE:LINE[=FROM-TO[+FROM-TO...]][~FROM-TO[+FROM-TO...]]
// FILE matches the end of a path. The ranges are hexadecimal, addresses in the program's executable: behind = those of
// the line, where calls into the runtime return to; behind ~ those of FILE's functions, for classes of codelets, which
// are on the line that the program has given them. `einkorn record --filter` adds both from the debug information,
// which is not read here. clang's programs tell a directive's line themselves if they were compiled with -g.
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
  // A class of codelets: of the function that is called, on that line.
  bool matches_class(const void* function, uint32_t line) const;

 private:
  struct Line {
    const char* file;
    uint32_t bytes, line;
  };
  struct Range {
    uint64_t from, to;
    int line;      // in line_
    bool of_file;  // of its functions
  };

  Line line_[kMaxLines] = {};
  Range range_[kMaxRanges] = {};
  int lines_ = 0, ranges_ = 0;
  uint64_t base_ = 0;  // of the executable: address in memory - address in the file
};

}  // namespace einkorn::record
