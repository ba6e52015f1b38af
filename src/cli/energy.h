// What the processors and their memory take while a program runs, by the kernel's counters of energy: powercap
// (Documentation/power/powercap), whose zones intel-rapl:N are the packages of Intel's and AMD's processors, and
// intel-rapl:N:M named dram the memory of one. A package holds its cores; psys holds all, and is left out.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace einkorn::cli {

class EnergyMeter {
 public:
  // Where the kernel has them, or EINKORN_POWERCAP's folder.
  static std::string folder();
  // Looks for counters there. Returns what is wrong, a sentence without its full stop; empty: they can be read.
  std::string open(const std::string& folder);

  // From now on. They begin anew after some minutes of much work: to be looked at every kLookSeconds meanwhile.
  void start();
  void look();
  // Since start(), at the latest look; of all packages, with the idle ones.
  double joules() const { return joules_; }
  // Why that is not known, a sentence without its full stop; empty: it is.
  const std::string& trouble() const { return trouble_; }
  static constexpr double kLookSeconds = 10;

 private:
  struct Zone {
    std::string file;
    uint64_t range = 0;  // microjoules, at which it begins anew; 0: not known
    uint64_t latest = 0;
  };
  std::string add(const std::string& zone);

  std::vector<Zone> zones_;
  double joules_ = 0;
  std::string trouble_;
};

}  // namespace einkorn::cli
