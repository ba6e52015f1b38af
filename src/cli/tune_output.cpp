#include "cli/tune_output.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/fewest.h"
#include "hints/text.h"
#include "report/json/json.h"
#include "report/wording.h"
#include "tune/judge.h"

namespace einkorn::cli {

std::string time_text(double seconds) { return report::duration(int64_t(seconds * 1e9)); }
std::string energy_text(double joules) {
  return joules < 1000 ? fmt::format("{:.3g} J", joules) : fmt::format("{:.0f} J", joules);
}

namespace {

std::string hints_text(const tune::Candidate& c) {
  std::string text;
  for (const hints::Hint& h : c.hints.hints) text += (text.empty() ? "" : ", ") + hints::words_of(h);
  return text;
}

// Why there is none, a sentence without its stop; empty: it was stopped, which is told by itself.
std::string why_no_hint(const Tuning& tuning, const TuneArguments& o, int runs) {
  const tune::Fewest& f = tuning.fewest;
  if (!tuning.stopped.empty()) return "";
  if (tuning.no_time) return fmt::format("the budget of {} was used up", o.budget);
  if (tuning.in_vain) return fmt::format("nothing was gained in {}", report::plural(uint64_t(runs), "run"));
  if (!tuning.tried.empty()) return "nothing that was tried was better";
  if (o.goal == "cores" && f.known() && f.may == f.recorded)
    return fmt::format("with fewer than {} it is predicted to take over {:g} % longer",
                       report::plural(uint64_t(f.recorded), "thread"), 100 * o.may_lose());
  if (o.goal == "cores" && f.known())
    return fmt::format("{} may do, but no region takes over 5 % of the time, or it is not known where its code is",
                       report::plural(uint64_t(f.may), "thread"));
  if (tuning.is_unknown())
    return fmt::format("the times of {} are not valid (`einkorn record` says why), and counts alone say nothing to try",
                       runs == 1 ? "the recording" : report::plural(uint64_t(runs), "recording"));
  return tuning.had_problems ? "no hint helps with the problems that `einkorn report` finds here"
                             : "no problem was found that one could help with";
}

}  // namespace

nlohmann::ordered_json as_json(const Tuning& tuning, const TuneArguments& o, int runs, double took) {
  nlohmann::ordered_json all;
  all["program"] = o.launch.command[0];
  all["goal"] = o.goal;
  if (tuning.fewest.known()) all["fewest_threads"] = fewest_json(tuning.fewest, 100 * o.may_lose());
  all["runs"] = runs;
  all["seconds"] = took;
  all["tried"] = nlohmann::ordered_json::array();
  for (const Tried& t : tuning.tried) {
    nlohmann::ordered_json one;
    one["hints"] = hints_text(t.candidate);
    one["what"] = t.candidate.what;
    one["verdict"] = t.verdict;
    one["pairs"] = t.before.size();
    if (!t.before.empty()) {
      one["before_seconds"] = tune::median(t.before);
      one["after_seconds"] = tune::median(t.after);
      one["gained_seconds"] = tune::median(t.before) - tune::median(t.after);
    }
    if (!t.joules_before.empty()) {
      one["before_joules"] = tune::median(t.joules_before);
      one["after_joules"] = tune::median(t.joules_after);
    }
    if (t.candidate.promised_ns >= 0) one["promised_seconds"] = report::seconds(t.candidate.promised_ns);
    if (t.candidate.predicted.low >= 0) one["predicted_percent"] = percent_range(t.candidate.predicted);
    all["tried"].push_back(std::move(one));
  }
  if (!tuning.hints.hints.empty()) all["hints_file"] = o.output;
  else if (const std::string why = why_no_hint(tuning, o, runs); !why.empty()) all["why"] = why;
  if (!tuning.stopped.empty()) all["stopped"] = tuning.stopped;
  else if (tuning.in_vain) all["stopped"] = "nothing was gained in so many runs";
  return all;
}

std::string as_text(const Tuning& tuning, const TuneArguments& o, int runs, double took) {
  std::string text =
      fmt::format("Tuned for {}: {} in {}\n", o.goal, report::plural(uint64_t(runs), "run"), time_text(took));
  for (const Tried& t : tuning.tried) {
    text += fmt::format("\n  {}\n    {}: {}", hints_text(t.candidate), t.candidate.what, t.verdict);
    if (t.candidate.predicted.low >= 0) text += "\n    predicted: " + range_text(t.candidate.predicted);
    if (!t.joules_before.empty()) {
      const double before = tune::median(t.joules_before), after = tune::median(t.joules_after);
      text += fmt::format("\n    {} without, {} with it ({:+.1f} %)", energy_text(before), energy_text(after),
                          100 * (after / before - 1));
    }
    if (!t.before.empty()) {
      const double before = tune::median(t.before), after = tune::median(t.after);
      text += fmt::format("\n    {} without, {} with it ({:+.1f} %, medians of {})", time_text(before),
                          time_text(after), 100 * (after / before - 1), report::plural(t.before.size(), "pair"));
      if (t.candidate.promised_ns > 0)
        text += fmt::format("; gained {}, promised at most {}", time_text(std::max(0.0, before - after)),
                            report::duration(t.candidate.promised_ns));
    }
    text += "\n";
  }
  text += "\n";
  if (!tuning.stopped.empty()) text += fmt::format("Stopped: {}.\n", tuning.stopped);
  if (tuning.no_time)
    text += fmt::format("The budget of {} was used up: give --budget more to try the others.\n", o.budget);
  if (tuning.in_vain)
    text += fmt::format("Nothing was gained in {}: give --budget to try on.\n", report::plural(uint64_t(runs), "run"));
  if (!tuning.hints.hints.empty())
    text += fmt::format("{} in {}. Use it: einkorn run --hints {} -- {} ...\n",
                        report::plural(tuning.hints.hints.size(), "hint"), o.output, o.output, o.launch.command[0]);
  else if (!tuning.stopped.empty() || tuning.no_time || tuning.in_vain) text += "No hint.\n";
  else text += fmt::format("No hint: {}.\n", why_no_hint(tuning, o, runs));
  return text;
}

}  // namespace einkorn::cli
