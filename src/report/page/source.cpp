#include "report/page/source.h"
#include <algorithm>
#include <filesystem>
#include <unordered_map>
#include <fmt/format.h>

namespace einkorn::report {
namespace {

namespace fs = std::filesystem;

constexpr size_t kContext = 30;  // lines before and after a cited one

}  // namespace

Excerpt whole_source(const profile::Profile& profile, const profile::Source& s, const SourceOptions& options) {
  Excerpt out;
  if (s.file.empty()) {
    out.note = "No source line is known: the program was built without debug information (-g).";
    return out;
  }
  SourceFiles files(profile, options);
  SourceFiles::Text file = files.read(files.find(s));
  out.first_line = 1;
  out.lines = std::move(file.lines);
  out.note = std::move(file.note);
  return out;
}

namespace {

// The cited lines of one file, with their neighbours, as pieces that do not touch.
std::vector<SourcePiece> pieces(const std::vector<std::string>& lines, std::vector<uint32_t> cited) {
  std::sort(cited.begin(), cited.end());
  std::vector<SourcePiece> out;
  size_t until = 0;  // lines up to this one are in the last piece
  for (const uint32_t line : cited) {
    const size_t first = std::max<size_t>(line > kContext ? line - kContext : 1, until + 1);
    const size_t last = std::min<size_t>(lines.size(), line + kContext);
    if (first > last) continue;
    if (out.empty() || first > until + 1) out.push_back({uint32_t(first), {}});
    out.back().lines.insert(out.back().lines.end(), lines.begin() + long(first - 1), lines.begin() + long(last));
    until = last;
  }
  return out;
}

}  // namespace

CitedSource cited_source(const profile::Profile& profile, const SourceOptions& options) {
  struct Entry {
    SourceFiles::Text file;
    uint32_t index = profile::kNone;
    std::vector<uint32_t> cited;
  };
  CitedSource out;
  out.file.assign(profile.sources.size(), profile::kNone);
  out.notes.resize(profile.sources.size());
  SourceFiles source_files(profile, options);
  std::unordered_map<std::string, Entry> files;
  std::vector<Entry*> shown;
  for (size_t i = 0; i < profile.sources.size(); ++i) {
    const profile::Source& s = profile.sources[i];
    if (s.file.empty() || s.line == 0) {
      out.notes[i] = "No source line is known: the program was built without debug information (-g).";
      continue;
    }
    const fs::path path = source_files.find(s);
    auto [it, fresh] = files.try_emplace(path.string());
    Entry& entry = it->second;
    if (fresh) entry.file = source_files.read(path);
    if (!entry.file.note.empty()) {
      out.notes[i] = entry.file.note;
      continue;
    }
    if (s.line > entry.file.lines.size()) {
      out.notes[i] = fmt::format("{} has {} lines only: it is not the file the program was built from.", path.string(),
                                 entry.file.lines.size());
      continue;
    }
    if (entry.index == profile::kNone) {
      entry.index = uint32_t(out.files.size());
      out.files.push_back({s.file, {}});
      shown.push_back(&entry);
    }
    entry.cited.push_back(s.line);
    out.file[i] = entry.index;
    std::error_code ec;
    const auto built = fs::last_write_time(s.module, ec);
    if (!ec && entry.file.written > built)
      out.notes[i] = "The source file is newer than the program: the lines may have moved.";
  }
  for (const Entry* e : shown) out.files[e->index].pieces = pieces(e->file.lines, e->cited);
  return out;
}

}  // namespace einkorn::report
