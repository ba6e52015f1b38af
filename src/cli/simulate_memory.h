// What `einkorn simulate` knows of memory: --with, --recorded-on, --placement, and both ends of the range if it knows
// nothing.
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
  std::string recorded_on;  // the machine of the recordings; empty: that of the prediction
  std::string placement = "first-touch";
};

// The parts of a recording that the change points to: kept as long as from_profile() may run.
struct MemoryOf {
  machine::Machine recorded_on;
  std::vector<profile::Touch> touches;
  profile::RuntimeCosts second;  // of the other recording's machine
  double slept = -1;             // slept_share() of the recording that tells it
  // Where only this recording tells of memory: the machine with its usual bandwidth, the Setup::recorded_rate that goes
  // with it, and the memory part that is likely (likely_memory.h; empty: nothing tells).
  machine::Machine usual;
  double usual_rate = 0;
  std::vector<float> likely;
  bool in_cache = false;  // fits_cache(): none of the work waits for memory
  bool moved = false;     // Inflation::moved
};

// Fills in the memory part of `change` and `common`, by a loaded recording on `m`, whose bandwidth it may take from the
// recording; with a second recording also its two `ends`. False: `why` says why not.
bool take_memory(const MemoryOptions& o, const profile::Profile& p, machine::Machine& m, MemoryOf& about,
                 simulate::Change& change, std::vector<simulate::Change>& ends, simulate::Setup& common,
                 std::string& why);

// The part of a program's work whose time in memory is not known. Below this no range is given.
double unknown_share(const simulate::Program& p);
inline constexpr double kWorthARange = 0.01;

}  // namespace einkorn::cli
