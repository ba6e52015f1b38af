#include "runtime/settings/peers.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

#include "base/environment.h"
#include "base/platform.h"
#include "machine/text.h"

namespace einkorn::runtime {

namespace {

struct Unserved {
  const char *name, *silent, *instead;
};
constexpr Unserved kUnserved[] = {
#define EK_NOT_SERVED(name, silent, instead) {name, silent, instead},
#include "runtime/settings/peers.def"
#undef EK_NOT_SERVED
};

constexpr std::string_view kBeginnings[] = {"KMP_", "LIBOMP_", "GOMP_", "OMP_", "ACC_", "INTEL_LIBITT"};

bool equal(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return tolower(static_cast<unsigned char>(c)); };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

// Whether `value` is one of the words, or they are "*".
bool is_one_of(std::string_view words, std::string_view value) {
  if (words == "*") return true;
  while (!words.empty()) {
    const size_t end = std::min(words.find(' '), words.size());
    if (equal(words.substr(0, end), value)) return true;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return false;
}

std::string_view trimmed(std::string_view s) {
  const auto first = s.find_first_not_of(" \t"), last = s.find_last_not_of(" \t");
  return first == std::string_view::npos ? std::string_view() : s.substr(first, last - first + 1);
}

// OMP_NUM_THREADS_ALL, OMP_NUM_THREADS_DEV and OMP_NUM_THREADS_DEV_2 are OMP_NUM_THREADS of devices.
std::string without_device(std::string name) {
  const auto is_number = [&](size_t at) { return name.find_first_not_of("0123456789", at) == std::string::npos; };
  const size_t at = name.rfind("_DEV");
  std::string stem = name;
  if (name.ends_with("_ALL")) stem.resize(name.size() - 4);
  else if (at != std::string::npos && (at + 4 == name.size() || (name[at + 4] == '_' && is_number(at + 5))))
    stem.resize(at);
  return is_per_device(stem.c_str()) ? stem : name;
}

void name_misspelt(const std::string& name, std::span<const char* const> known) {
  const std::string beginning = name.substr(0, name.find('_') + 1);
  machine::Nearest nearest(name.substr(beginning.size()));
  const auto offer = [&](std::string_view other) {
    if (other.starts_with(beginning)) nearest.offer(std::string(other.substr(beginning.size())));
  };
  for (const char* other : known) offer(other);
  for (const Unserved& other : kUnserved) offer(other.name);
  // These beginnings belong to others as well, so a name that is like none of ours is theirs.
  if (!nearest.name().empty())
    warn("%s is not a variable that the runtime knows. Did you mean %s%s?", name.c_str(), beginning.c_str(),
         nearest.name().c_str());
}

}  // namespace

void name_unserved_variables(std::span<const char* const> known) {
  for (const char* const* entry = environment_entries(); *entry; ++entry) {
    const std::string_view text = *entry;
    const auto begins = [&](std::string_view beginning) { return text.starts_with(beginning); };
    if (std::none_of(std::begin(kBeginnings), std::end(kBeginnings), begins)) continue;
    const size_t equals = std::min(text.find('='), text.size());
    const std::string name = without_device(std::string(text.substr(0, equals)));
    const std::string_view value = trimmed(text.substr(std::min(equals + 1, text.size())));
    const auto is_it = [&](const char* other) { return name == other; };
    if (value.empty() || std::any_of(known.begin(), known.end(), is_it)) continue;
    const auto* found =
        std::find_if(std::begin(kUnserved), std::end(kUnserved), [&](const Unserved& u) { return name == u.name; });
    if (found == std::end(kUnserved)) name_misspelt(name, known);
    else if (!is_one_of(found->silent, value))
      warn("%s is set and has no effect%s%s", found->name, *found->instead ? ": " : "", found->instead);
  }
}

}  // namespace einkorn::runtime
