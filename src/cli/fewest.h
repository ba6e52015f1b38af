// The fewest threads with which a recorded program takes hardly longer, by replays: `einkorn simulate --fewest`, and
// what `einkorn tune --goal cores` tries.
#pragma once
#include <nlohmann/json.hpp>

#include <functional>
#include <memory>
#include <string>

#include "cli/simulate_subject.h"
#include "tune/fewest.h"

namespace einkorn::cli {

// Why a replay with fewer threads would tell nothing of this recording, a sentence's part; empty: it tells.
std::string why_no_fewest(const profile::Profile& recorded, const machine::Machine& m);

// For a subject with no reason against it, under one schedule. may_lose: of the time with the recorded threads, 0.05
// for 5 %. goes_on is asked now and then. Not known where it says no, or replays come to a stop.
tune::Fewest predict_fewest(const Subject& subject, const machine::Machine& m, const simulate::Setup& common,
                            const schedule::Schedule& schedule, double may_lose,
                            const std::function<void(double)>& progress, const std::function<bool()>& goes_on);

// The same for a recording just made here, loaded with LoadOptions::lock_points, its touches in `memory`: under the
// schedule that the environment says, as the program ran. Not known, too, where there is a reason against it, and where
// the environment says what is not replayed.
tune::Fewest predict_fewest(const std::shared_ptr<const profile::Profile>& recorded,
                            const std::shared_ptr<MemoryOf>& memory, double may_lose,
                            const std::function<void(double)>& progress, const std::function<bool()>& goes_on);

// An option's check: a finite percentage from 0 to 1000. Empty: it is one.
std::string not_a_percentage(const std::string& text);

// What `einkorn simulate --fewest PERCENT` prints.
std::string fewest_text(const tune::Fewest& f, double percent, const std::string& schedule);
nlohmann::json fewest_json(const tune::Fewest& f, double percent);

// "-1.5 to +4.0 %": by so much more than the time with all threads.
std::string range_text(const tune::Ratio& r);
// That range, in percent, as JSON has it.
std::vector<double> percent_range(const tune::Ratio& r);

}  // namespace einkorn::cli
