// Which source files are read for a page. A recording names them, and whoever made it may have named anything: keys,
// the environment of who looks, a device without end. A page is sent on to others.
//
// Read are regular files on a disk, up to a size,
//   * below a folder that the user named (--source-root): all;
//   * below the folders that the program was compiled in and from (by the debug information of the program on this machine), the working
//     directory, and where compilers keep headers: those whose names are those of source code and not hidden.
// Links are followed first. What is not read for that reason is told: refused().
#pragma once
#include <filesystem>
#include <set>
#include <string>
#include <vector>
#include "profile/types.h"

namespace einkorn::report {

struct SourceOptions {
  bool none = false;                         // no source text at all
  std::vector<std::string> roots;            // as the user named them
  std::set<std::string>* refused = nullptr;  // out, where given: files that are there and were not read
};

// A sentence about these without its full stop; empty where there are none.
std::string about_refused(const std::set<std::string>& refused);

class SourceFiles {
 public:
  struct Text {
    std::string note;  // why there are no lines, a sentence
    std::vector<std::string> lines;
    std::filesystem::file_time_type written;
  };

  SourceFiles(const profile::Profile& profile, const SourceOptions& options);
  // The path as recorded; a relative one also in the user's folders and beside the program.
  std::filesystem::path find(const profile::Source& s) const;
  Text read(const std::filesystem::path& path);

 private:
  bool allowed(const std::filesystem::path& real) const;

  const SourceOptions& options_;
  std::vector<std::filesystem::path> named_, known_, headers_;  // links followed
  uint64_t budget_;                                             // bytes that may still be read
};

}  // namespace einkorn::report
