#include "profile/line_code.h"
#include <algorithm>
#include <dwarf.h>
#include <utility>
#include <vector>
#include "profile/line_rows.h"
#include "profile/opened_file.h"
#include "record/filter.h"

namespace einkorn::profile {

namespace {

using Ranges = std::vector<std::pair<uint64_t, uint64_t>>;

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

void add_functions(Dwarf_Die* unit, const std::string& file, uint32_t line, LineCode& out) {
  struct Asked {
    const std::string& file;
    uint32_t line;
    LineCode& out;
  } asked{file, line, out};
  auto add = [](Dwarf_Die* function, void* data) {
    auto& [file, line, out] = *static_cast<Asked*>(data);
    const char* name = dwarf_decl_file(function);
    Dwarf_Addr base = 0, begin = 0, end = 0;
    if (!name || !record::ends_in(name, file)) return int(DWARF_CB_OK);
    // clang declares a construct's function on the construct's line, which may have no code of its own where all that
    // is in it was inlined from elsewhere.
    int declared = 0;
    if (dwarf_decl_line(function, &declared) == 0 && uint32_t(declared) == line && dwarf_entrypc(function, &begin) == 0)
      out.ranges.emplace_back(begin, begin + 1);
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

// The file, with its debug information. `f` gets each unit.
template <class F>
void for_each_unit(const std::string& path, F f) {
  const OpenedFile opened(path);
  if (!opened.module()) return;
  Dwarf_Addr bias = 0;
  Dwarf* dwarf = dwfl_module_getdwarf(opened.module(), &bias);
  if (!dwarf) return;
  Dwarf_CU* cu = nullptr;
  Dwarf_Die die;
  uint8_t type;
  while (dwarf_get_units(dwarf, cu, &cu, nullptr, &type, &die, nullptr) == 0) f(&die);
}

// Calls that were inlined, in a DIE and below.
class Inlined {
 public:
  Inlined(Dwarf_Die* unit, const std::string& file, uint32_t line, Ranges& out) : line_(line), out_(out) {
    size_t count = 0;
    Dwarf_Files* files = nullptr;
    if (dwarf_getsrcfiles(unit, &files, &count) != 0) return;
    for (size_t i = 0; i < count; ++i) {
      const char* name = dwarf_filesrc(files, i, nullptr, nullptr);
      matches_.push_back(name && record::ends_in(name, file));
    }
    if (std::find(matches_.begin(), matches_.end(), true) != matches_.end()) look_below(unit, 0);
  }

 private:
  void look_below(Dwarf_Die* die, int depth) {
    Dwarf_Die child;
    constexpr int kDeepest = 512;
    if (depth > kDeepest || dwarf_child(die, &child) != 0) return;
    do {
      if (dwarf_tag(&child) == DW_TAG_inlined_subroutine) look_at(&child);
      look_below(&child, depth + 1);
    } while (dwarf_siblingof(&child, &child) == 0);
  }
  void look_at(Dwarf_Die* call) {
    Dwarf_Attribute attribute;
    Dwarf_Word line = 0, file = 0;
    if (dwarf_formudata(dwarf_attr(call, DW_AT_call_line, &attribute), &line) != 0 || line != line_) return;
    if (dwarf_formudata(dwarf_attr(call, DW_AT_call_file, &attribute), &file) != 0) return;
    if (file >= matches_.size() || !matches_[file]) return;
    Dwarf_Die function;
    if (!dwarf_formref_die(dwarf_attr(call, DW_AT_abstract_origin, &attribute), &function)) return;
    // A member's declaration has its file.
    const char* declared = dwarf_decl_file(&function);
    if (!declared || !is_library_header(declared)) return;
    Dwarf_Addr base = 0, begin = 0, end = 0;
    for (ptrdiff_t at = 0; (at = dwarf_ranges(call, at, &base, &begin, &end)) > 0;)
      if (end > begin) out_.emplace_back(begin, end);
  }

  const uint32_t line_;
  Ranges& out_;
  std::vector<bool> matches_;  // by file of the unit
};

}  // namespace

LineCode code_of_line(const std::string& path, const std::string& file, uint32_t line) {
  LineCode out;
  for_each_unit(path, [&](Dwarf_Die* unit) {
    add_unit(unit, file, line, out);
    add_functions(unit, file, line, out);
  });
  merge(out.functions);
  return out;
}

Ranges inlined_at_line(const std::string& path, const std::string& file, uint32_t line) {
  Ranges out;
  for_each_unit(path, [&](Dwarf_Die* unit) { Inlined(unit, file, line, out); });
  return out;
}

}  // namespace einkorn::profile
