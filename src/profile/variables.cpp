#include "profile/variables.h"

#include <algorithm>
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

std::vector<std::pair<uint64_t, uint64_t>> variables_named(const std::string& path, const std::string& name) {
  std::vector<std::pair<uint64_t, uint64_t>> exact, numbered;
  const OpenedFile opened(path);
  const int count = opened.module() ? dwfl_module_getsymtab(opened.module()) : 0;
  const std::string_view stem = without_number(name);
  for (int i = 0; i < count; ++i) {
    GElf_Sym symbol;
    GElf_Addr address = 0;
    const char* its = dwfl_module_getsym_info(opened.module(), i, &symbol, &address, nullptr, nullptr, nullptr);
    if (!its || GELF_ST_TYPE(symbol.st_info) != STT_OBJECT || symbol.st_size == 0 || symbol.st_shndx == SHN_UNDEF)
      continue;
    const std::pair<uint64_t, uint64_t> range(symbol.st_value, symbol.st_value + symbol.st_size);
    if (its == name || readable_variable(its) == name) exact.push_back(range);
    else if (!stem.empty() && without_number(its) == stem) numbered.push_back(range);
  }
  auto& found = exact.empty() && numbered.size() == 1 ? numbered : exact;
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());  // several names of one
  return found;
}

}  // namespace einkorn::profile
