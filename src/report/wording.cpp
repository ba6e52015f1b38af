#include "report/wording.h"
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <fmt/format.h>

#include "report/cxx_names.h"

namespace einkorn::report {
namespace {

struct Unit {
  double ns;
  const char* name;
};
constexpr Unit kUnits[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}};

const Unit& unit_for(double ns) {
  for (const Unit& u : kUnits)
    if (ns >= 0.1 * u.ns) return u;
  return kUnits[3];
}

// Digits before the point are never rounded away: "1,230", not "1,200".
int decimals_for(double value, int digits) {
  int decimals = digits - 1 - (value > 0 ? int(std::floor(std::log10(value))) : 0);
  decimals = std::max(0, decimals);
  // 9.996 has four digits once it is rounded to two decimals.
  if (decimals > 0 && value > 0 && std::round(value * std::pow(10, decimals)) >= std::pow(10, digits)) --decimals;
  return decimals;
}

std::string with_separators(double value, int decimals) {
  const std::string plain = fmt::format("{:.{}f}", value, decimals);
  const size_t point = std::min(plain.find('.'), plain.size()), first = plain[0] == '-' ? 1 : 0;
  std::string out;
  for (size_t i = 0; i < plain.size(); ++i) {
    if (i > first && i < point && (point - i) % 3 == 0) out += ',';
    out += plain[i];
  }
  return out;
}

}  // namespace

std::string significant(double value, int digits) {
  return with_separators(value, decimals_for(std::fabs(value), digits));
}

std::string duration(int64_t ns, int digits) {
  const Unit& u = unit_for(double(ns));
  // There is nothing below a nanosecond.
  const std::string number =
      u.ns == 1 ? count(uint64_t(std::max<int64_t>(0, ns))) : significant(double(ns) / u.ns, digits);
  return number + ' ' + u.name;
}

std::string part_of(int64_t part_ns, int64_t whole_ns) {
  const Unit& u = unit_for(double(whole_ns));
  const int decimals = std::min(decimals_for(double(whole_ns) / u.ns, 2) + 1, decimals_for(double(part_ns) / u.ns, 2));
  return fmt::format("{} of {} {}", with_separators(double(part_ns) / u.ns, decimals),
                     with_separators(double(whole_ns) / u.ns, decimals), u.name);
}

std::string count(uint64_t n) { return with_separators(double(n), 0); }

std::string percent(double part, double whole) {
  if (!(whole > 0)) return "-";
  const double value = 100 * part / whole;
  if (value == 0) return "0 %";
  if (value < 0.01) return "<0.01 %";
  return fmt::format("{:.{}f} %", value, value < 0.1 ? 2 : 1);
}

std::string plural(uint64_t n, const char* one) { return fmt::format("{} {}{}", count(n), one, n == 1 ? "" : "s"); }

const char* level(const profile::Profile& p) {
  return p.accesses.empty() ? p.counted.any() ? "structure and time, counters" : "structure and time"
         : p.slowed         ? "structure, memory accesses"
                            : "structure and time, memory accesses of another run";
}

std::string shortened(const std::string& name, size_t width) {
  return without_middle(shorter_cxx_name(name, width), width);
}

std::string utf8(std::string_view text) { return einkorn::utf8(text, "\ufffd"); }

Scale::Scale(int64_t largest_ns) {
  const Unit& u = unit_for(double(largest_ns));
  unit_ns = u.ns;
  unit = u.name;
  decimals = u.ns == 1 ? 0 : decimals_for(double(largest_ns) / u.ns, 4);
}

std::string Scale::operator()(int64_t ns) const { return with_separators(double(ns) / unit_ns, decimals); }

namespace {

// The last `n` components of a path; all of it where it has no more.
std::string tail(const std::string& path, size_t n) {
  size_t at = path.size();
  for (; n > 0 && at > 0 && at != std::string::npos; --n) at = path.rfind('/', at - 1);
  return at == std::string::npos || at == 0 ? path : path.substr(at + 1);
}

}  // namespace

Places::Places(const profile::Profile& p) : profile_(p), files_(p.sources.size()) {
  std::map<std::string, std::string> known;  // path -> as shown
  for (const profile::Source& s : p.sources)
    if (!s.file.empty()) known.emplace(s.file, "");
  std::set<std::string> open;
  for (const auto& [path, shown] : known) open.insert(path);
  for (size_t n = 1; !open.empty(); ++n) {
    std::map<std::string, int> uses;
    for (const auto& [path, shown] : known) ++uses[tail(path, n)];
    for (auto it = open.begin(); it != open.end();) {
      const std::string t = tail(*it, n);
      // The whole of a path may be the end of another: nothing more can be said.
      if (uses[t] == 1 || t == *it) {
        known[*it] = t;
        it = open.erase(it);
      } else {
        ++it;
      }
    }
  }
  for (size_t i = 0; i < p.sources.size(); ++i) {
    const profile::Source& s = p.sources[i];
    if (!s.file.empty()) files_[i] = printable(known[s.file]);
    else if (!s.function.empty()) alike_[{s.module, s.function, s.construct}].insert(s.address);
  }
}

std::string Places::operator()(uint32_t source) const {
  if (source >= files_.size()) return "unknown place";
  const profile::Source& s = profile_.sources[source];
  if (!files_[source].empty()) return s.line ? fmt::format("{}:{}", files_[source], s.line) : files_[source];
  if (!s.function.empty()) {
    constexpr size_t kName = 48;
    const std::string whole = printable(s.function), name = shortened(whole, kName);
    const bool several =
        name != whole || alike_.at({s.module, s.function, s.construct}).size() > 1;  // or may be, shortened alike
    return several ? fmt::format("{}@{:#x}", name, s.address) : name;
  }
  return s.address != 0 ? fmt::format("{}+{:#x}", s.module.empty() ? "?" : printable(tail(s.module, 1)), s.address)
                        : "unknown place";
}

}  // namespace einkorn::report
