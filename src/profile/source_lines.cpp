#include "profile/source_lines.h"
#include <algorithm>
#include <cstring>
#include "profile/bytes.h"
#include "record/source_lines.h"

namespace einkorn::profile {

using record::SourceLineRecord;
using record::SourceTextRecord;

namespace {

constexpr size_t kMostPlaces = 1u << 20;  // sites and accesses
constexpr size_t kMostTexts = 1u << 18;
constexpr size_t kPayload = 512u << 10;  // a block's, about

// The name of a file or a function: a zero in it would make one function see another name than the next.
bool take_name(Bytes& bytes, uint32_t n, std::string& out) {
  return n <= record::kMostSourceName && take_text(bytes, n, out) && out.find('\0') == std::string::npos;
}

bool take_frames(Bytes& bytes, uint32_t n, std::vector<std::string>& out) {
  std::string all;
  if (n > record::kMostInlinedBytes || !take_text(bytes, n, all) || (n && all.back() != '\0')) return false;
  for (size_t at = 0, end; at < all.size(); at = end + 1)
    out.push_back(all.substr(at, (end = all.find('\0', at)) - at));
  return true;
}

template <class T>
void append(std::string& to, const T& record) {
  to.append(reinterpret_cast<const char*>(&record), sizeof record);
}

std::string cut_name(const std::string& text) { return text.substr(0, record::kMostSourceName); }

void append_place(std::string& to, uint32_t site, uint64_t address, const Source& s) {
  std::string frames;
  for (const std::string& frame : s.inlined)
    if (frames.size() + frame.size() < record::kMostInlinedBytes) frames.append(frame).push_back('\0');
  const std::string file = cut_name(s.file), function = cut_name(s.function), module = cut_name(s.module);
  append(to, SourceLineRecord{site, s.line, address, s.address, uint32_t(file.size()), uint32_t(function.size()),
                              uint32_t(module.size()), uint32_t(frames.size())});
  to.append(file).append(function).append(module).append(frames);
}

// The keys in order, so that one recording is always told by the same bytes.
template <class Map>
auto sorted_keys(const Map& map) {
  std::vector<typename Map::key_type> keys;
  for (const auto& [key, source] : map)
    if (source.line || !source.function.empty()) keys.push_back(key);
  std::sort(keys.begin(), keys.end());
  return keys;
}

}  // namespace

bool read_source_lines(Bytes bytes, SourceLines& out) {
  SourceLineRecord r;
  while (!bytes.empty()) {
    Source s;
    if (!take(bytes, r) || !take_name(bytes, r.file_bytes, s.file) || !take_name(bytes, r.function_bytes, s.function) ||
        !take_name(bytes, r.module_bytes, s.module) || !take_frames(bytes, r.inlined_bytes, s.inlined) ||
        (r.line && s.file.empty()) || out.of_site.size() + out.of_access.size() >= kMostPlaces)
      return false;
    s.line = r.line;
    s.address = r.code;
    // Several bytes of a name are one in the file, compressed.
    out.bytes += sizeof(Source) + 64 + s.file.size() + s.function.size() + s.module.size() + 2 * r.inlined_bytes +
                 s.inlined.size() * sizeof(std::string);
    if (r.site) out.of_site[r.site] = std::move(s);
    else out.of_access[r.address] = std::move(s);
  }
  return true;
}

bool read_source_text(Bytes bytes, SourceLines& out) {
  SourceTextRecord r;
  while (!bytes.empty()) {
    SourceText t;
    std::string text;
    if (!take(bytes, r) || !take_name(bytes, r.file_bytes, t.file) || t.file.empty() ||
        !take_text(bytes, r.text_bytes, text) || r.first_line == 0 || r.first_line > UINT32_MAX - r.lines ||
        out.texts.size() >= kMostTexts || (!text.empty() && text.back() != '\n') ||
        std::count(text.begin(), text.end(), '\n') != std::ptrdiff_t(r.lines))
      return false;
    t.first_line = r.first_line;
    out.bytes += sizeof t + t.file.size() + text.size() + r.lines * sizeof(std::string);
    for (size_t at = 0, end; at < text.size(); at = end + 1) {
      end = text.find('\n', at);
      if (end - at > record::kMostSourceLineBytes) return false;
      t.lines.push_back(text.substr(at, end - at));
    }
    out.texts.push_back(std::move(t));
  }
  return true;
}

std::vector<std::string> source_line_payloads(const SourceLines& lines) {
  std::vector<std::string> out(1);
  auto add = [&](uint32_t site, uint64_t address, const Source& s) {
    if (out.back().size() > kPayload) out.emplace_back();
    append_place(out.back(), site, address, s);
  };
  for (const uint32_t site : sorted_keys(lines.of_site)) add(site, 0, lines.of_site.at(site));
  for (const uint64_t address : sorted_keys(lines.of_access)) add(0, address, lines.of_access.at(address));
  if (out.back().empty()) out.pop_back();
  return out;
}

std::vector<std::string> source_text_payloads(const std::vector<SourceText>& texts) {
  std::vector<std::string> out(1);
  for (const SourceText& t : texts) {
    if (out.back().size() > kPayload) out.emplace_back();
    std::string text;
    for (const std::string& line : t.lines) {
      std::string one = line.substr(0, record::kMostSourceLineBytes);
      std::replace(one.begin(), one.end(), '\n', ' ');
      text.append(one).push_back('\n');
    }
    const std::string file = cut_name(t.file);
    append(out.back(),
           SourceTextRecord{t.first_line, uint32_t(t.lines.size()), uint32_t(file.size()), uint32_t(text.size())});
    out.back().append(file).append(text);
  }
  if (out.back().empty()) out.pop_back();
  return out;
}

void choose_source(Source& now, const Source* kept, bool same) {
  if (!kept) return;
  const bool knows_more = now.line || (!kept->line && !now.function.empty());
  if (same && knows_more) return;
  if (!kept->line && kept->function.empty()) return;
  std::string construct = std::move(now.construct);
  now = *kept;
  now.construct = std::move(construct);
}

}  // namespace einkorn::profile
