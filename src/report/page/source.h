// The source text that goes into the page: of every file that a Source cites, the cited lines and those around them.
// Which files are read at all: page/source_files.h. Where a file is not here or has changed, the lines that the
// recording keeps of it (Profile::source_texts).
#pragma once
#include <string>
#include <vector>
#include "profile/types.h"
#include "report/page/source_files.h"

namespace einkorn::report {

struct SourcePiece {
  uint32_t first_line = 0;  // 1-based line number of lines[0]
  std::vector<std::string> lines;
};

struct SourceFile {
  std::string path;                 // as in the debug information
  std::vector<SourcePiece> pieces;  // ascending, with a gap between each two
};

struct CitedSource {
  std::vector<SourceFile> files;
  std::vector<uint32_t> file;      // per source, in the order of profile.sources: index of its file, or profile::kNone
  std::vector<std::string> notes;  // per source: why there is no text, or why to distrust it; empty: all well
};

inline constexpr size_t kSourceContext = 30;  // lines before and after a cited one

// Reads each file once.
CitedSource cited_source(const profile::Profile& profile, const SourceOptions& options, size_t around = kSourceContext);

// A file as a whole.
struct Excerpt {
  uint32_t first_line = 0;         // 1-based line number of lines[0]
  std::vector<std::string> lines;  // empty when there is none to show
  std::string note;                // why there is none
};
Excerpt whole_source(const profile::Profile& profile, const profile::Source& source, const SourceOptions& options);

}  // namespace einkorn::report
