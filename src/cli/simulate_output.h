// What `einkorn simulate` prints for a sweep: a table, JSON, a plot.
#pragma once
#include <nlohmann/json.hpp>

#include <functional>
#include <memory>
#include <string>

#include "profile/profile.h"
#include "report/page/speedup_plot.h"
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
  bool second = false;                        // recording: --with
  bool moved = false;                         // which was made with CPUs at other distances (Inflation::moved)
  std::shared_ptr<profile::Profile> profile;  // of a recording
  double unknown = 0;                         // part of its work whose time in memory is not known
  bool in_cache = false;                      // all its memory fits into the cache: none of its work waits for memory
  double perturbed = 0;                       // part of its work in grains so short that recording made them longer
};
// The part above which that is worth mentioning.
inline constexpr double kPerturbedWork = 0.1;

// Its name in texts.
const char* name_of(const machine::Machine& m);

// If the memory part is not known (kWorthARange), `sweep` has treated all of it as compute. `ends`: those of
// Subject::ends.
using Ends = std::vector<simulate::Sweep>;
std::string table(const Subject& subject, const machine::Machine& m, const simulate::Sweep& sweep, const Ends& ends);
nlohmann::json as_json(const Subject& subject, const machine::Machine& m, const simulate::Sweep& sweep,
                       const Ends& ends);
std::string roofline_table(const Subject& subject, const machine::Machine& m, const simulate::Setup& common,
                           const std::vector<int>& threads);
nlohmann::json roofline_json(const Subject& subject, const machine::Machine& m, const simulate::Setup& common,
                             const std::vector<int>& threads);

// By a file's name: 's' (.svg), 'h' (.html), 0: neither.
char plot_form(const std::string& file);
std::string plot(const Subject& subject, const machine::Machine& m, const simulate::Sweep& sweep, const Ends& ends,
                 char form);

}  // namespace einkorn::cli
