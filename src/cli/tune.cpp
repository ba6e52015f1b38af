// einkorn tune [--goal time|cores] [--budget 10m] [-o app.hints] -- ./app args
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>

#include <cstdlib>
#include <cmath>
#include <regex>

#include "cli/costs.h"
#include "cli/files.h"
#include "cli/progress.h"
#include "cli/tune_runs.h"
#include "cli/verbs.h"
#include "hints/text.h"
#include "profile/load.h"
#include "record/system.h"
#include "report/json/json.h"
#include "report/wording.h"
#include "tune/propose.h"

namespace einkorn::cli {

namespace {

struct TuneArguments {
  Launch launch;
  std::string goal = "time", budget = "10m", output, check;
  bool bold = false, json = false;
};

struct Tried {
  tune::Candidate candidate;
  std::vector<double> before, after;
  const char* verdict = "no time left";
  bool accepted = false;
};

struct Tuning {
  std::vector<Tried> tried;
  hints::File hints;
  std::string stopped;  // why it ended before its end, a sentence's part
};

double seconds_now() { return 1e-9 * double(record::monotonic_ns()); }

// Seconds; 0: no such time.
double seconds_of(const std::string& budget) {
  std::smatch m;
  if (!std::regex_match(budget, m, std::regex("([1-9][0-9]{0,6})(s|m|h)?"))) return 0;
  return std::stod(m[1]) * (m[2] == "m" ? 60 : m[2] == "h" ? 3600 : 1);
}

std::string time_text(double seconds) { return report::duration(int64_t(seconds * 1e9)); }

// What is wrong with a run without any further hint; empty: nothing.
std::string wrong_with(const TriedRun& run, const TriedRun& first, bool checks) {
  if (run.status != 0)
    return fmt::format(
        "the program fails now and then: without any further hint a run ended with {}, the first one with status 0. Hints cannot be judged so",
        end_text(run.status));
  if (!run.right) return "--check says that the program's own output is not right";
  if (!checks && run.output != first.output)
    return "the program's output differs from run to run, so nobody could see that a hint changes it. Say with --check "
           "COMMAND how to tell whether it is right: it gets the output as its input, and ends with status 0 if so";
  return "";
}

// One candidate, on top of what was accepted. False: the program itself is not to be tuned, tuning.stopped says why.
bool try_candidate(TriedRuns& runs, const TriedRun& first, const TuneArguments& o, tune::Goal goal, double deadline,
                   Tuning& tuning, Tried& t) {
  const std::string with = hints::to_text(tune::with(tuning.hints, t.candidate));
  const std::string without = tuning.hints.hints.empty() ? "" : hints::to_text(tuning.hints);
  std::vector<double> ratios;
  while (true) {
    const double last = t.before.empty() ? first.seconds : t.before.back();
    if (seconds_now() + 2 * last > deadline) return true;
    TriedRun pair[2];  // without, with; first one, then the other one first
    const int begin = int(ratios.size() % 2);
    for (const int which : {begin, 1 - begin}) pair[which] = runs.run(which ? with : without);
    if (tuning.stopped = wrong_with(pair[0], first, !o.check.empty()); !tuning.stopped.empty())
      return t.verdict = "not judged", false;
    if (pair[1].refused) return t.verdict = "the program itself says otherwise", true;
    if (pair[1].status != 0 || !pair[1].right || (o.check.empty() && pair[1].output != first.output))
      return t.verdict = "changes the results", true;
    t.before.push_back(pair[0].seconds);
    t.after.push_back(pair[1].seconds);
    ratios.push_back(pair[1].seconds / pair[0].seconds);
    const tune::Verdict v = tune::judge(ratios, goal);
    if (v == tune::Verdict::unsure) continue;
    t.accepted = v == tune::Verdict::better;
    t.verdict = t.accepted ? "accepted" : goal == tune::Goal::cores ? "takes longer" : "not faster";
    return true;
  }
}

std::string comment_of(const Tried& t) {
  return fmt::format(
      "{} before, {} with it (medians of {} pairs{})", time_text(tune::median(t.before)),
      time_text(tune::median(t.after)), t.before.size(),
      t.candidate.promised_ns > 0 ? "; promised at most " + report::duration(t.candidate.promised_ns) : "");
}

std::string hints_text(const tune::Candidate& c) {
  std::string text;
  for (const hints::Hint& h : c.hints.hints)
    text +=
        fmt::format("{}{} {} {}", text.empty() ? "" : ", ", hints::name_of(h.construct), h.place, hints::values_of(h));
  return text;
}

nlohmann::ordered_json as_json(const Tuning& tuning, const TuneArguments& o, int runs, double took) {
  nlohmann::ordered_json all;
  all["program"] = o.launch.command[0];
  all["goal"] = o.goal;
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
    if (t.candidate.promised_ns >= 0) one["promised_seconds"] = report::seconds(t.candidate.promised_ns);
    all["tried"].push_back(std::move(one));
  }
  if (!tuning.hints.hints.empty()) all["hints_file"] = o.output;
  if (!tuning.stopped.empty()) all["stopped"] = tuning.stopped;
  return all;
}

std::string as_text(const Tuning& tuning, const TuneArguments& o, int runs, double took, bool had_problems) {
  std::string text =
      fmt::format("Tuned for {}: {} in {}\n", o.goal, report::plural(uint64_t(runs), "run"), time_text(took));
  for (const Tried& t : tuning.tried) {
    text += fmt::format("\n  {}\n    {}: {}", hints_text(t.candidate), t.candidate.what, t.verdict);
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
  if (!tuning.hints.hints.empty())
    text += fmt::format("{} in {}. Use it: einkorn run --hints {} -- {} ...\n",
                        report::plural(tuning.hints.hints.size(), "hint"), o.output, o.output, o.launch.command[0]);
  else if (!tuning.stopped.empty()) text += "No hint.\n";
  else if (!tuning.tried.empty()) text += "No hint: nothing that was tried was better.\n";
  else if (had_problems) text += "No hint: no hint helps with the problems that `einkorn report` finds here.\n";
  else text += "No hint: no problem was found that one could help with.\n";
  return text;
}

// Returns 0, or after a message the status.
int load_recording(const TriedRuns& runs, profile::Profile& p, profile::LoadDetails& details) {
  const std::string file = runs.recording();
  if (file.empty()) return fail(kOurError, "nothing to tune: the program did not use OpenMP.");
  Progress progress;
  profile::LoadOptions load;
  load.progress = [&](double f, const char* what) { progress(f, what); };
  profile::LoadError error;
  return profile::load(file, load, &details, p, error) ? 0 : fail(kOurError, error.message + ".");
}

int tune_program(TuneArguments& o) {
  const double budget = seconds_of(o.budget);
  if (budget == 0) return fail(kOurError, fmt::format("--budget {}: not a time, such as 90s, 10m or 1h.", o.budget));
  std::string program;
  if (int status = prepare(o.launch, program)) return status;
  if (o.output.empty()) {
    o.output = o.launch.command[0].substr(o.launch.command[0].rfind('/') + 1) + ".hints";
    if (std::string why = report::why_not(o.output, report::Content::other); !why.empty())
      return fail(kOurError, why + ".");
  }
  const double began = seconds_now(), deadline = began + budget;
  const tune::Goal goal = o.goal == "cores" ? tune::Goal::cores : tune::Goal::time;
  TriedRuns runs(o.launch, program, o.check);
  const profile::RuntimeCosts costs = runtime_costs();
  const TriedRun first = runs.record(costs.threads > 0 ? profile::costs_text(costs) : "");
  if (first.exec_error) return explain_failure(program, first.exec_error);
  if (first.status != 0)
    return fail(kOurError,
                fmt::format("nothing to tune: the program ends with {}. Its input is what stands in a file on "
                            "standard input, or nothing.",
                            end_text(first.status)));
  if (!first.right) return fail(kOurError, "--check says that the program's own output is not right.");
  profile::Profile p;
  profile::LoadDetails details;
  if (int status = load_recording(runs, p, details)) return status;
  const std::vector<report::Finding> findings = report::find_problems(p);
  Tuning tuning;
  for (tune::Candidate& c : tune::propose(p, details.code, findings, goal, o.bold))
    tuning.tried.push_back({.candidate = std::move(c), .before = {}, .after = {}});
  const double needed = 2 * tune::kLeastPairs * first.seconds;
  if (!tuning.tried.empty() && seconds_now() + needed > deadline)
    return fail(
        kOurError,
        fmt::format("a budget of {} is too small: the program takes {}, and to judge one hint takes six runs. Give "
                    "--budget {:.0f}s or more.",
                    o.budget, time_text(first.seconds), std::ceil(1.5 * (needed + seconds_now() - began))));
  {
    Progress progress;
    for (size_t i = 0; i < tuning.tried.size(); ++i) {
      progress((double(i) + 0.5) / double(tuning.tried.size()), "trying hints");
      Tried& t = tuning.tried[i];
      if (!try_candidate(runs, first, o, goal, deadline, tuning, t)) break;
      if (!t.accepted) continue;
      for (hints::Hint& h : t.candidate.hints.hints) h.comment = comment_of(t);
      tuning.hints = tune::with(tuning.hints, t.candidate);
    }
  }
  if (!tuning.hints.hints.empty())
    if (const std::string why = report::write_file(o.output, hints::to_text(tuning.hints)); !why.empty())
      return fail(kOurError, why + ".");
  const double took = seconds_now() - began;
  const int printed = o.json ? print_data(report::json_text(as_json(tuning, o, runs.count(), took), 1))
                             : print_text(as_text(tuning, o, runs.count(), took, !findings.empty()));
  return tuning.stopped.empty() ? printed : kOurError;
}

}  // namespace

void add_tune(CLI::App& app, const Command& command, Action& action) {
  CLI::App* verb = app.add_subcommand("tune", "Find hints that make a program faster, without touching its source");
  auto o = std::make_shared<TuneArguments>();
  verb->add_option("--goal", o->goal, "time: faster; cores: fewer threads, for at most 5 % more time")
      ->check(CLI::IsMember({"time", "cores"}))
      ->type_name("GOAL")
      ->capture_default_str();
  verb->add_option("--budget", o->budget, "How long to try: 90s, 10m, 1h")->type_name("TIME")->capture_default_str();
  writes(verb->add_option("-o,--output", o->output, "The hints file. Default: the program's name with .hints"))
      ->type_name("FILE");
  verb->add_option(
          "--check", o->check,
          "Shell command that gets the program's output and ends with status 0 if it is right; default: it has "
          "to be the same in each run")
      ->type_name("COMMAND");
  verb->add_flag("--bold", o->bold,
                 "Also try what the program itself says otherwise: chunk sizes, num_threads clauses");
  verb->add_flag("--json", o->json, "Print JSON");
  verb->footer(
      "The program follows after --. It is run several times, with its output kept back; a hint that changes the output "
      "or the exit status is dropped.\n"
      "Example: einkorn tune -o sort.hints -- ./sort 1000000");
  verb->callback([o, &command, &action] {
    action = [o, &command] {
      o->launch.command = command;
      return tune_program(*o);
    };
  });
}

}  // namespace einkorn::cli
