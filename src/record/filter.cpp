#include "record/filter.h"
#include <cstdlib>
#include <cstring>
#include <link.h>

namespace einkorn::record {

namespace {

// The executable comes first.
int note_base(dl_phdr_info* info, size_t, void* base) {
  *static_cast<uint64_t*>(base) = info->dlpi_addr;
  return 1;
}

}  // namespace

bool Filter::parse(const char* list) {
  dl_iterate_phdr(note_base, &base_);
  const char* p = list;
  while (*p) {
    const char* end = p + strcspn(p, ",");
    const char* stop = p;
    while (stop < end && *stop != '=' && *stop != '~') ++stop;
    const char* colon = stop;
    while (colon > p && *colon != ':') --colon;
    char* after = nullptr;
    unsigned long line = colon > p ? strtoul(colon + 1, &after, 10) : 0;
    if (line == 0 || line > UINT32_MAX || after != stop || lines_ == kMaxLines) return false;
    line_[lines_++] = {p, uint32_t(colon - p), uint32_t(line)};
    bool of_file = false;
    for (const char* r = stop; r < end;) {
      of_file |= *r == '~';
      uint64_t from = strtoull(r + 1, &after, 16);
      if (*after != '-' || ranges_ == kMaxRanges) return false;
      uint64_t to = strtoull(after + 1, &after, 16);
      if ((*after != '+' && *after != '~' && after != end) || to <= from) return false;
      range_[ranges_++] = {from, to, lines_ - 1, of_file};
      r = after;
    }
    p = *end ? end + 1 : end;
  }
  return lines_ > 0;
}

bool Filter::matches(Construct c, const void* return_address, const char* text) const {
  if (c != Construct::task && c != Construct::taskloop && c != Construct::loop && c != Construct::sections)
    return false;
  // The call is before its return address.
  uint64_t at = uint64_t(return_address) - 1 - base_;
  for (int i = 0; i < ranges_; ++i)
    if (!range_[i].of_file && at >= range_[i].from && at < range_[i].to) return true;
  if (!text || *text != ';') return false;
  const char* file = text + 1;  // ;file;function;line;column;;
  size_t n = strcspn(file, ";");
  const char* function = file + n;
  if (*function != ';') return false;
  const char* line = strchr(function + 1, ';');
  if (!line) return false;
  unsigned long number = strtoul(line + 1, nullptr, 10);
  for (int i = 0; i < lines_; ++i)
    if (line_[i].line == number && ends_in({file, n}, {line_[i].file, line_[i].bytes})) return true;
  return false;
}

bool Filter::matches_class(const void* function, uint32_t line) const {
  const uint64_t at = uint64_t(function) - base_;
  for (int i = 0; i < ranges_; ++i)
    if (const Range& r = range_[i]; r.of_file && line_[r.line].line == line && at >= r.from && at < r.to) return true;
  return false;
}

}  // namespace einkorn::record
