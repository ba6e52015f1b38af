// What `einkorn tune` was asked, what it has tried, and what it prints of that.
#pragma once
#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

#include "cli/launch.h"
#include "hints/types.h"
#include "tune/judge.h"
#include "tune/propose.h"

namespace einkorn::cli {

struct TuneArguments {
  Launch launch;
  std::string goal = "time", budget = "10m", output, html, check;
  std::optional<double> loss;  // goals cores and energy: percent of the time
  bool bold = false, json = false;
  double may_lose() const { return loss ? *loss / 100 : tune::kMayLose; }
};

struct Tried {
  tune::Candidate candidate;
  std::vector<double> before, after;                // seconds
  std::vector<double> joules_before, joules_after;  // goal energy
  const char* verdict = "not tried";
  bool accepted = false;
};

struct Tuning {
  std::vector<Tried> tried;
  hints::File hints;
  std::string stopped;   // why it ended before its end, a sentence's part
  int interrupted = 0;   // by this signal
  bool no_time = false;  // the budget was used up
  bool in_vain = false;  // kMostInVain
  double takes = 1;      // goals cores and energy: by so much what was accepted has made the program longer
  tune::Fewest fewest;   // goals cores and energy
  bool had_problems = false, times_valid = true;  // of the recording
  // Nothing is to be tried, and that may be because its times are not valid.
  bool is_unknown() const { return tried.empty() && !times_valid && !fewest.known(); }
};

std::string time_text(double seconds);
std::string energy_text(double joules);
// runs: of the program, in so many seconds; also what the page shows (viewer/src/data/page.ts).
nlohmann::ordered_json as_json(const Tuning& tuning, const TuneArguments& o, int runs, double took);
std::string as_text(const Tuning& tuning, const TuneArguments& o, int runs, double took);

}  // namespace einkorn::cli
