// What a recording keeps of its source lines (record/source_lines.h): the blocks' contents, read and made. A program
// that has been rebuilt, moved or is on another machine still has the lines and names that it had when it was recorded.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>
#include "profile/types.h"

namespace einkorn::profile {

struct SourceLines {
  std::unordered_map<uint32_t, Source> of_site;    // by site id; without constructs, which the sites have
  std::unordered_map<uint64_t, Source> of_access;  // by the return address of the hook
  std::vector<SourceText> texts;
  uint64_t bytes = 0;  // of memory that these take, about
};

// Each reads one block's payload. False: it is damaged; what precedes the damage is kept.
bool read_source_lines(std::span<const std::byte> payload, SourceLines&);
bool read_source_text(std::span<const std::byte> payload, SourceLines&);

// The payloads of the blocks that hold these. A place without a line and a name is left out.
std::vector<std::string> source_line_payloads(const SourceLines&);
std::vector<std::string> source_text_payloads(const std::vector<SourceText>&);

// `now` is what the program's files tell today, `kept` what they told when it was recorded, nullptr: nothing. `same`:
// today's files are certainly those that were recorded. Then they may know more (debug information that was installed
// since); otherwise what was kept is right.
void choose_source(Source& now, const Source* kept, bool same);

}  // namespace einkorn::profile
