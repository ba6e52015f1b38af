// What `einkorn record` adds to a recording when its program has ended: the source lines and functions that the
// program's files tell now, and the text of these lines. A program that is rebuilt or moved afterwards takes them with
// it.
#pragma once
#include <cstdint>
#include <string>

#include "profile/profile.h"
#include "profile/source_lines.h"

namespace einkorn::cli {

struct KeepLines {
  uint64_t session = 0;     // of the recordings: no other file is written to
  uint64_t most_bytes = 0;  // of a recording with its text; 0: no limit
  bool text = true;         // the lines' text, too

  // Adds the lines to a recording that was loaded with LoadOptions::lines. It prints nothing if it cannot add them:
  // readers then take lines from the program's files, as long as these are there.
  void add(const std::string& path, const profile::SourceLines& lines, const profile::Profile& profile) const;
  // The same of one that was not loaded: reads the few blocks that it takes.
  void add(const std::string& path) const;
};

}  // namespace einkorn::cli
