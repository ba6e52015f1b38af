#include "profile/line_code.h"
#include <algorithm>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <memory>
#include <unistd.h>
#include <utility>
#include <vector>
#include "profile/line_rows.h"
#include "record/filter.h"

namespace einkorn::profile {

namespace {

void add_unit(Dwarf_Die* die, const std::string& file, uint32_t line, LineCode& out) {
  Dwarf_Lines* lines = nullptr;
  size_t count = 0;
  if (dwarf_getsrclines(die, &lines, &count) != 0) return;
  out.has_lines |= count > 0;
  // Rows refer to their file by a shared string: it is compared once.
  const char* last_name = nullptr;
  bool last_matches = false;
  for (size_t i = 0; i + 1 < count; ++i) {
    Dwarf_Line* row = dwarf_onesrcline(lines, i);
    int number = 0;
    if (dwarf_lineno(row, &number) != 0 || uint32_t(number) != line || ends_sequence(lines, i)) continue;
    const char* name = dwarf_linesrc(row, nullptr, nullptr);
    if (name != last_name) last_matches = name && record::ends_in(name, file);
    last_name = name;
    Dwarf_Addr begin = 0, end = 0;
    if (!last_matches || dwarf_lineaddr(row, &begin) != 0 || dwarf_lineaddr(dwarf_onesrcline(lines, i + 1), &end) != 0)
      continue;
    // A function begins with the address itself, which is known by the row that opens it; a call is longer than that.
    if (opening_row(lines, count, i) != i) ++begin;
    else if (end == begin) ++end;
    if (end <= begin) continue;
    if (!out.ranges.empty() && out.ranges.back().second == begin) out.ranges.back().second = end;
    else out.ranges.emplace_back(begin, end);
  }
}

// Functions one behind the other are one range: what lies between them is padding.
constexpr uint64_t kMostPadding = 64;

void add_functions(Dwarf_Die* unit, const std::string& file, LineCode& out) {
  struct Asked {
    const std::string& file;
    LineCode& out;
  } asked{file, out};
  auto add = [](Dwarf_Die* function, void* data) {
    auto& [file, out] = *static_cast<Asked*>(data);
    const char* name = dwarf_decl_file(function);
    Dwarf_Addr base = 0, begin = 0, end = 0;
    if (!name || !record::ends_in(name, file)) return int(DWARF_CB_OK);
    for (ptrdiff_t at = 0; (at = dwarf_ranges(function, at, &base, &begin, &end)) > 0;)
      if (end > begin) out.functions.emplace_back(begin, end);
    return int(DWARF_CB_OK);
  };
  dwarf_getfuncs(unit, add, &asked, 0);
}

void merge(std::vector<std::pair<uint64_t, uint64_t>>& ranges) {
  std::sort(ranges.begin(), ranges.end());
  size_t kept = 0;
  for (const auto& r : ranges) {
    if (kept > 0 && r.first <= ranges[kept - 1].second + kMostPadding)
      ranges[kept - 1].second = std::max(ranges[kept - 1].second, r.second);
    else ranges[kept++] = r;
  }
  ranges.resize(kept);
}

}  // namespace

LineCode code_of_line(const std::string& path, const std::string& file, uint32_t line) {
  LineCode out;
  char debug_path[] = ":.debug:/usr/lib/debug", *debug_path_pointer = debug_path;
  Dwfl_Callbacks callbacks{};
  callbacks.find_elf = dwfl_build_id_find_elf;
  callbacks.find_debuginfo = dwfl_standard_find_debuginfo;
  callbacks.debuginfo_path = &debug_path_pointer;
  std::unique_ptr<Dwfl, void (*)(Dwfl*)> dwfl(dwfl_begin(&callbacks), dwfl_end);
  if (!dwfl) return out;
  int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return out;
  dwfl_report_begin(dwfl.get());
  Dwfl_Module* m = dwfl_report_elf(dwfl.get(), path.c_str(), path.c_str(), fd, 0, true);
  dwfl_report_end(dwfl.get(), nullptr, nullptr);
  if (!m) {
    close(fd);
    return out;
  }
  Dwarf_Addr bias = 0;
  Dwarf* dwarf = dwfl_module_getdwarf(m, &bias);
  if (!dwarf) return out;
  Dwarf_CU* cu = nullptr;
  Dwarf_Die die;
  uint8_t type;
  while (dwarf_get_units(dwarf, cu, &cu, nullptr, &type, &die, nullptr) == 0) {
    add_unit(&die, file, line, out);
    add_functions(&die, file, out);
  }
  merge(out.functions);
  return out;
}

}  // namespace einkorn::profile
