#include "cli/energy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <regex>

#include "base/environment.h"

namespace einkorn::cli {

namespace {

std::string line_of(const std::string& file) {
  std::string line;
  std::ifstream(file) >> line;
  return line;
}

// errno says why there is none.
std::optional<uint64_t> number_in(const std::string& file) {
  errno = 0;
  std::ifstream in(file);
  uint64_t value;
  if (in >> value) return value;
  if (errno == 0) errno = EINVAL;
  return {};
}

// Right behind number_in().
std::string unread(const std::string& file) { return fmt::format("{} cannot be read: {}", file, strerror(errno)); }

}  // namespace

std::string EnergyMeter::folder() {
  const char* other = base::environment("EINKORN_POWERCAP");
  return other && *other ? other : "/sys/class/powercap";
}

std::string EnergyMeter::add(const std::string& zone) {
  Zone z;
  z.file = zone + "/energy_uj";
  if (!number_in(z.file)) {
    if (errno != EACCES && errno != EPERM) return unread(z.file);
    return fmt::format(
        "{} is not for everybody to read: ask who runs this machine to allow it (chmod a+r), or run as root", z.file);
  }
  z.range = number_in(zone + "/max_energy_range_uj").value_or(0);
  zones_.push_back(z);
  return "";
}

std::string EnergyMeter::open(const std::string& folder) {
  zones_.clear();
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  static const std::regex kPackage("intel-rapl:[0-9]+"), kPart("(intel-rapl:[0-9]+):[0-9]+");
  const auto name_of = [&](const std::string& zone) { return line_of(folder + "/" + zone + "/name"); };
  for (const std::string& zone : names) {
    std::smatch part;
    const bool counts = std::regex_match(zone, kPackage) ? name_of(zone).starts_with("package")
                        : std::regex_match(zone, part, kPart)
                            ? name_of(zone) == "dram" && name_of(part[1]).starts_with("package")
                            : false;
    if (!counts) continue;
    if (const std::string wrong = add(folder + "/" + zone); !wrong.empty()) return wrong;
  }
  if (zones_.empty())
    return fmt::format(
        "this machine does not tell what energy it takes: there is no processor (intel-rapl) in {}. Virtual "
        "machines have none, nor have Arm's",
        folder);
  return "";
}

void EnergyMeter::start() {
  joules_ = 0;
  trouble_.clear();
  for (Zone& z : zones_)
    if (const std::optional<uint64_t> now = number_in(z.file)) z.latest = *now;
    else trouble_ = unread(z.file);
}

void EnergyMeter::look() {
  for (Zone& z : zones_) {
    const std::optional<uint64_t> now = number_in(z.file);
    if (!now) trouble_ = unread(z.file);
    else if (*now < z.latest && z.range < z.latest)
      trouble_ = fmt::format("{} began anew, and max_energy_range_uj does not say at which value", z.file);
    if (!trouble_.empty()) continue;
    joules_ += 1e-6 * double(*now >= z.latest ? *now - z.latest : z.range - z.latest + *now);
    z.latest = *now;
  }
}

}  // namespace einkorn::cli
