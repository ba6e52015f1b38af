// What is simulated: a recorded program for teams of any size, and the ends of what is not known about it.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/simulate_memory.h"
#include "profile/profile.h"
#include "simulate/sweep.h"

namespace einkorn::cli {

// The program to be run, for teams of any size.
struct Subject {
  std::string name;
  std::function<simulate::Program(int)> with;
  // The other ends, beside `with`, of what is not known (memory, who sleeps before a lock, how far its line is): made
  // when they are run, one after the other.
  struct End {
    std::function<std::function<simulate::Program(int)>()> make;
    double unknown = 0;  // Setup::unknown_memory
    bool awake = false;  // Setup::slept is 0
    double wake = 1;     // times as long as Costs::sleeper
    double line = 1;     // times as long as Costs::line
    // No end but what is likely between them (likely_memory.h): on this machine, and its Setup::recorded_rate.
    std::shared_ptr<const machine::Machine> likely_on{};
    double recorded_rate = 0;
  };
  std::vector<End> ends;
  double recorded = -1;  // ns of wall time
  uint32_t recorded_threads = 0;
  bool second = false;                              // recording: --with
  bool moved = false;                               // which was made with CPUs at other distances (Inflation::moved)
  std::shared_ptr<const profile::Profile> profile;  // of a recording
  double unknown = 0;                               // part of its work whose time in memory is not known
  bool in_cache = false;  // all its memory fits into the cache: none of its work waits for memory
  double perturbed = 0;   // part of its work in grains so short that recording made them longer
};
// The part above which that is worth mentioning.
inline constexpr double kPerturbedWork = 0.1;

// Fills in all else by Subject::profile, a loaded recording with LoadOptions::lock_points, and with its
// touches in `memory`; on `m`, whose bandwidth it may take from the recording. `common` gets its costs and what is
// known of waiting. False: `why` says what is wrong with the recording, `file`.
bool make_subject(const std::string& file, const MemoryOptions& o, simulate::Change change,
                  const std::shared_ptr<MemoryOf>& memory, machine::Machine& m, simulate::Setup& common, Subject& out,
                  std::string& why);

// The sweep, and the same for each of the subject's ends.
using Ends = std::vector<simulate::Sweep>;
Ends run_with_ends(const Subject& subject, const machine::Machine& m, const simulate::Setup& common,
                   simulate::Sweep& sweep, const std::function<void(double)>& progress);

}  // namespace einkorn::cli
