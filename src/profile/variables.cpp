#include "profile/variables.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string_view>

#include "profile/opened_file.h"
#include "profile/symbols_names.h"

namespace einkorn::profile {

namespace {

// "grid" of "grid.1"; empty: there is no number.
std::string_view without_number(std::string_view name) {
  const size_t dot = name.rfind('.');
  if (dot == 0 || dot == std::string_view::npos || dot + 1 == name.size()) return {};
  const std::string_view number = name.substr(dot + 1);
  return number.find_first_not_of("0123456789") == std::string_view::npos ? name.substr(0, dot) : std::string_view();
}

}  // namespace

NamedVariables variables_named(const std::string& path, const std::string& whole, uint64_t bytes) {
  using Range = std::pair<uint64_t, uint64_t>;
  const size_t at = whole.rfind("@0x");
  const std::string name = whole.substr(0, at), stem(without_number(name));
  const uint64_t address = at == std::string::npos ? 0 : strtoull(whole.c_str() + at + 1, nullptr, 16);
  NamedVariables out;
  std::set<Range> exact, around, numbered;  // sets: several names of one
  const OpenedFile opened(path);
  const int count = opened.module() ? dwfl_module_getsymtab(opened.module()) : 0;
  for (int i = 0; i < count; ++i) {
    GElf_Sym symbol;
    GElf_Addr loaded = 0;
    const char* its = dwfl_module_getsym_info(opened.module(), i, &symbol, &loaded, nullptr, nullptr, nullptr);
    if (!its || GELF_ST_TYPE(symbol.st_info) != STT_OBJECT || symbol.st_size == 0 || symbol.st_shndx == SHN_UNDEF)
      continue;
    const Range range(symbol.st_value, symbol.st_value + symbol.st_size);
    const std::string readable = readable_variable(its);
    const bool is_exact = its == name || readable == name;
    const std::string_view its_stem = without_number(its);
    if (at != std::string::npos) {
      if (is_exact && range.first == address) exact.insert(range);
    } else if (!stem.empty() && its_stem == stem && bytes != 0) {
      if (symbol.st_size == bytes) numbered.insert(range);
    } else if (is_exact) {
      exact.insert(range);
    } else if (its == name + "_" || (!its_stem.empty() && (its_stem == name || its_stem == stem)) ||
               readable.ends_with("::" + name)) {
      around.insert(range);
    }
    if (name.size() > 2 && readable.find(name) != std::string::npos && out.near.size() < 3 &&
        std::find(out.near.begin(), out.near.end(), readable) == out.near.end())
      out.near.push_back(readable);
  }
  const std::set<Range>& found = !exact.empty() ? exact : numbered.size() == 1 ? numbered : around;
  if (!exact.empty() || found.size() == 1) out.ranges.assign(found.begin(), found.end());
  if (!out.ranges.empty()) out.near.clear();
  return out;
}

}  // namespace einkorn::profile
