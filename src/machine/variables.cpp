#include "machine/variables.h"

#include <algorithm>
#include <string_view>

#include "machine/text.h"

namespace einkorn::machine {

namespace {

struct Other {
  const char* name;
  bool offered;  // to users who misspell one
};
constexpr Other kOthers[] = {
#define EK_FOR_USERS(name, reader) {name, true},
#define EK_INTERNAL(name, reader) {name, false},
#include "machine/variables.def"
#undef EK_INTERNAL
#undef EK_FOR_USERS
};

}  // namespace

std::vector<std::string> unknown_variables(const char* const* entries, std::span<const char* const> known) {
  constexpr std::string_view kPrefix = "EINKORN_";
  std::vector<std::string> said;
  for (const char* const* entry = entries; *entry; ++entry) {
    const std::string_view text = *entry;
    if (!text.starts_with(kPrefix)) continue;
    const std::string name(text.substr(0, text.find('=')));
    if (name == kNamedAlready) return {};
    const auto is_it = [&](const char* other) { return name == other; };
    if (std::any_of(known.begin(), known.end(), is_it)) continue;
    if (std::any_of(std::begin(kOthers), std::end(kOthers), [&](const Other& o) { return name == o.name; })) continue;
    // The common beginning proves nothing.
    Nearest nearest(name.substr(kPrefix.size()));
    const auto offer = [&](std::string_view other) {
      if (other.starts_with(kPrefix)) nearest.offer(std::string(other.substr(kPrefix.size())));
    };
    for (const char* other : known) offer(other);
    for (const Other& other : kOthers)
      if (other.offered) offer(other.name);
    std::string line = utf8(name) + " is not a variable of Einkorn.";
    if (!nearest.name().empty()) line += " Did you mean " + std::string(kPrefix) + nearest.name() + "?";
    said.push_back(std::move(line));
  }
  return said;
}

}  // namespace einkorn::machine
