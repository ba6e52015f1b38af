// The blocks of a grain file that keep what a program's addresses meant while its files were still there: source lines,
// and the text of the lines named. `einkorn record` adds them when the program has ended (cli/keep_lines.h); the
// recorder itself knows addresses alone. docs/grain-file.md describes them.
#pragma once
#include <cstdint>

namespace einkorn::record {

// Block source_lines: the place of a site, or of a counted memory access. Followed by the file, the function, the
// module's path, and the frames of inlined functions, innermost first, each ended by a zero.
struct SourceLineRecord {
  uint32_t site;     // 0: the place of an access
  uint32_t line;     // 0: not known
  uint64_t address;  // access: the return address of its hook; site: 0
  uint64_t code;     // address in the module's file
  uint32_t file_bytes, function_bytes, module_bytes, inlined_bytes;
};
static_assert(sizeof(SourceLineRecord) == 40);

// Block source_text: adjacent lines of a source file. Followed by the file, as the source lines name it, and the text,
// each line ended by a line feed.
struct SourceTextRecord {
  uint32_t first_line;  // from 1
  uint32_t lines;
  uint32_t file_bytes, text_bytes;
};
static_assert(sizeof(SourceTextRecord) == 16);

inline constexpr uint32_t kMostSourceName = 4096;      // bytes of a file's, function's or module's name
inline constexpr uint32_t kMostInlinedBytes = 65536;   // of all frames of one place
inline constexpr uint32_t kMostSourceLineBytes = 512;  // of one line of text; a writer cuts longer ones

}  // namespace einkorn::record
