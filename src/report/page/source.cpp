#include "report/page/source.h"
#include <algorithm>
#include <filesystem>
#include <unordered_map>
#include <fmt/format.h>

namespace einkorn::report {
namespace {

namespace fs = std::filesystem;

// Text that the recording keeps, by file and line.
class KeptText {
 public:
  explicit KeptText(const profile::Profile& profile) {
    for (const profile::SourceText& t : profile.source_texts) of_[t.file].push_back(&t);
  }
  bool has(const profile::Source& s) const {
    const auto at = of_.find(s.file);
    if (at == of_.end()) return false;
    return std::any_of(at->second.begin(), at->second.end(), [&](const profile::SourceText* t) {
      return s.line >= t->first_line && s.line - t->first_line < t->lines.size();
    });
  }
  // Does the file say something else today where text was kept?
  bool differs(const std::string& file, const std::vector<std::string>& lines) const {
    const auto at = of_.find(file);
    if (at == of_.end()) return false;
    for (const profile::SourceText* t : at->second)
      for (size_t i = 0; i < t->lines.size(); ++i) {
        const size_t line = t->first_line - 1 + i;
        if (line >= lines.size() || lines[line] != t->lines[i]) return true;
      }
    return false;
  }
  std::vector<SourcePiece> pieces(const std::string& file) const {
    std::vector<SourcePiece> out;
    if (const auto at = of_.find(file); at != of_.end())
      for (const profile::SourceText* t : at->second) out.push_back({t->first_line, t->lines});
    std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.first_line < b.first_line; });
    uint64_t until = 0;  // lines up to this one are in a piece: only a file that nobody wrote has one twice
    std::erase_if(out, [&](const SourcePiece& p) {
      if (p.first_line <= until || p.lines.empty()) return true;
      until = uint64_t(p.first_line) + p.lines.size() - 1;
      return false;
    });
    return out;
  }

 private:
  std::unordered_map<std::string, std::vector<const profile::SourceText*>> of_;
};

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
  const KeptText kept(profile);
  if (kept.has(s) && (!out.note.empty() || kept.differs(s.file, out.lines)))
    for (SourcePiece& piece : kept.pieces(s.file))
      if (s.line >= piece.first_line && s.line - piece.first_line < piece.lines.size())
        return {piece.first_line, std::move(piece.lines), ""};
  return out;
}

namespace {

// The cited lines of one file, with their neighbours, as pieces that do not touch.
std::vector<SourcePiece> pieces(const std::vector<std::string>& lines, std::vector<uint32_t> cited, size_t around) {
  std::sort(cited.begin(), cited.end());
  std::vector<SourcePiece> out;
  size_t until = 0;  // lines up to this one are in the last piece
  for (const uint32_t line : cited) {
    const size_t first = std::max<size_t>(line > around ? line - around : 1, until + 1);
    const size_t last = std::min<size_t>(lines.size(), line + around);
    if (first > last) continue;
    if (out.empty() || first > until + 1) out.push_back({uint32_t(first), {}});
    out.back().lines.insert(out.back().lines.end(), lines.begin() + long(first - 1), lines.begin() + long(last));
    until = last;
  }
  return out;
}

}  // namespace

CitedSource cited_source(const profile::Profile& profile, const SourceOptions& options, size_t around) {
  struct Entry {
    SourceFiles::Text file;
    bool changed = false;  // since the recording
    uint32_t index = profile::kNone;
    std::vector<uint32_t> cited;
  };
  CitedSource out;
  out.file.assign(profile.sources.size(), profile::kNone);
  out.notes.resize(profile.sources.size());
  SourceFiles source_files(profile, options);
  std::unordered_map<std::string, Entry> files;
  std::vector<Entry*> shown;
  const KeptText kept(profile);
  std::unordered_map<std::string, uint32_t> kept_index;  // by file: in out.files
  for (size_t i = 0; i < profile.sources.size(); ++i) {
    const profile::Source& s = profile.sources[i];
    if (s.file.empty() || s.line == 0) {
      out.notes[i] = "No source line is known: the program was built without debug information (-g).";
      continue;
    }
    const fs::path path = source_files.find(s);
    auto [it, fresh] = files.try_emplace(path.string());
    Entry& entry = it->second;
    if (fresh) {
      entry.file = source_files.read(path);
      entry.changed = entry.file.note.empty() && kept.differs(s.file, entry.file.lines);
    }
    if ((entry.changed || !entry.file.note.empty()) && kept.has(s)) {
      const auto [index, is_new] = kept_index.try_emplace(s.file, uint32_t(out.files.size()));
      if (is_new) out.files.push_back({s.file, kept.pieces(s.file)});
      out.file[i] = index->second;
      out.notes[i] = entry.changed ? "The source file has changed since: these are the lines that were recorded."
                                   : "These are the lines that the recording keeps. " + entry.file.note;
      continue;
    }
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
    if (kept.has(s)) continue;  // and is what the file says
    if (!ec && entry.file.written > built)
      out.notes[i] = "The source file is newer than the program: the lines may have moved.";
  }
  for (const Entry* e : shown) out.files[e->index].pieces = pieces(e->file.lines, e->cited, around);
  return out;
}

}  // namespace einkorn::report
