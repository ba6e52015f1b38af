// What `einkorn simulate` knows of memory: --with, --recorded-on, --placement, and both ends where it knows nothing.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "profile/profile.h"
#include "simulate/from_profile.h"
#include "simulate/sweep.h"

namespace einkorn::cli {

struct MemoryOptions {
  std::string with;         // a second recording, with another number of threads
  std::string recorded_on;  // the machine of the recordings; empty: as the one that is asked about
  std::string placement = "first-touch";
};

// What of a recording the change points to: kept as long as from_profile() runs.
struct MemoryOf {
  machine::Machine recorded_on;
  std::vector<profile::Touch> touches;
};

// Fills in what `change` and `common` say of memory, by a loaded recording on `m`. 0, or a status: it says what is wrong.
int take_memory(const MemoryOptions& o, const profile::Profile& p, const machine::Machine& m, MemoryOf& about, simulate::Change& change,
                simulate::Setup& common);

// Of a program's work, the part whose time in memory nobody knows. Below this it makes no range.
double unknown_share(const simulate::Program& p);
inline constexpr double kWorthARange = 0.01;

}  // namespace einkorn::cli
