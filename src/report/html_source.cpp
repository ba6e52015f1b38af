#include "report/html_source.h"
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <unordered_map>
#include <fmt/format.h>

namespace einkorn::report {
namespace {

namespace fs = std::filesystem;

constexpr uint32_t kContext = 3;                       // lines before and after the cited one
constexpr uintmax_t kMaxFileBytes = 32u << 20;         // larger is no source anyone wrote
constexpr size_t kMaxLineBytes = 400;                  // of one line, the rest is cut

struct File {
  std::string note;
  std::vector<std::string> lines;
  fs::file_time_type written;
};

// The path as recorded; a relative one also beside the program.
fs::path find_file(const profile::Source& s) {
  std::error_code ec;
  const fs::path path(s.file);
  if (path.is_absolute() || fs::exists(path, ec)) return path;
  const fs::path beside = fs::path(s.module).parent_path() / path;
  return fs::exists(beside, ec) ? beside : path;
}

File read_file(const fs::path& path) {
  File file;
  std::error_code ec;
  const fs::file_status status = fs::status(path, ec);
  if (!fs::exists(status)) {
    file.note = fmt::format("The source file {} is not on this machine.", path.string());
    return file;
  }
  if (!fs::is_regular_file(status)) {
    file.note = fmt::format("{} is not a regular file: not read.", path.string());
    return file;
  }
  if (fs::file_size(path, ec) > kMaxFileBytes || ec) {
    file.note = fmt::format("{} is larger than 32 MiB: not read.", path.string());
    return file;
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    file.note = fmt::format("{} cannot be read: {}.", path.string(), std::strerror(errno));
    return file;
  }
  file.written = fs::last_write_time(path, ec);
  for (std::string line; std::getline(in, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.size() > kMaxLineBytes) line = line.substr(0, kMaxLineBytes) + " ...";
    file.lines.push_back(std::move(line));
  }
  return file;
}

}  // namespace

std::vector<Excerpt> cited_source(const profile::Profile& profile) {
  std::vector<Excerpt> out(profile.sources.size());
  std::unordered_map<std::string, File> files;
  for (size_t i = 0; i < out.size(); ++i) {
    const profile::Source& s = profile.sources[i];
    if (s.file.empty() || s.line == 0) {
      out[i].note = "No source line is known: the program was built without debug information (-g).";
      continue;
    }
    const fs::path path = find_file(s);
    auto [it, fresh] = files.try_emplace(path.string());
    if (fresh) it->second = read_file(path);
    const File& file = it->second;
    if (!file.note.empty()) {
      out[i].note = file.note;
      continue;
    }
    if (s.line > file.lines.size()) {
      out[i].note = fmt::format("{} has {} lines only: it is not the file the program was built from.", path.string(),
                                file.lines.size());
      continue;
    }
    const size_t first = s.line > kContext ? s.line - kContext : 1;
    const size_t last = std::min<size_t>(file.lines.size(), size_t(s.line) + kContext);
    out[i].first_line = uint32_t(first);
    out[i].lines.assign(file.lines.begin() + (first - 1), file.lines.begin() + last);
    std::error_code ec;
    const auto built = fs::last_write_time(s.module, ec);
    if (!ec && file.written > built)
      out[i].note = "The source file is newer than the program: the lines may have moved.";
  }
  return out;
}

}  // namespace einkorn::report
