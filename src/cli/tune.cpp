// einkorn tune [--goal time|cores|energy] [--budget 10m] [-o app.hints] -- ./app args
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <regex>
#include <utility>

#include "base/environment.h"
#include "cli/child.h"
#include "cli/costs.h"
#include "cli/fewest.h"
#include "cli/files.h"
#include "cli/pair_page.h"
#include "cli/progress.h"
#include "cli/tune_output.h"
#include "cli/tune_runs.h"
#include "cli/verbs.h"
#include "hints/text.h"
#include "machine/types.h"
#include "profile/load.h"
#include "report/json/json.h"
#include "report/page/page.h"
#include "report/wording.h"
#include "tune/combine.h"
#include "tune/propose.h"

namespace einkorn::cli {

namespace {

// The recordings.
constexpr const char *kBefore = "before", *kAfter = "after";

// Seconds; 0: no such time.
double seconds_of(const std::string& budget) {
  std::smatch m;
  if (!std::regex_match(budget, m, std::regex("([1-9][0-9]{0,6})(s|m|h)?"))) return 0;
  return std::stod(m[1]) * (m[2] == "m" ? 60 : m[2] == "h" ? 3600 : 1);
}

// Where other programs had the CPUs a recording tells of counts only, and there may be nothing to try: it is made again
// so often.
constexpr int kMoreRecordings = 2;

// A run that takes ten times as long as the first one does not end for its own reasons.
double most_seconds(const TriedRun& first) { return 10 * first.seconds + 5; }

// What is wrong with a run without any further hint; empty: nothing.
std::string wrong_with(const TriedRun& run, const TriedRun& first, bool checks) {
  if (!run.trouble.empty()) return run.trouble;
  if (run.exec_error) return fmt::format("a run could not be started: {}", strerror(run.exec_error));
  constexpr const char* kCannotJudge = "Hints cannot be judged so";
  if (run.timed_out)
    return fmt::format("the program does not end now and then: one run was ended after {}. {}", time_text(run.seconds),
                       kCannotJudge);
  if (run.status != 0)
    return fmt::format(
        "the program fails now and then: without any further hint a run ended with {}, the first one with status 0. {}",
        end_text(run.status), kCannotJudge);
  if (!run.right) return "--check says that the program's own output is not right";
  if (!checks && run.output != first.output)
    return "the program's output differs from run to run, so nobody could see that a hint changes it. Say with --check "
           "COMMAND how to tell whether it is right: it gets the output as its input, and ends with status 0 if so";
  return "";
}

std::string comment_of(const Tried& t) {
  const std::string energy = t.joules_before.empty()
                                 ? ""
                                 : fmt::format("{} before, {} with it; ", energy_text(tune::median(t.joules_before)),
                                               energy_text(tune::median(t.joules_after)));
  return fmt::format(
      "{}{} before, {} with it (medians of {} pairs{})", energy, time_text(tune::median(t.before)),
      time_text(tune::median(t.after)), t.before.size(),
      t.candidate.promised_ns > 0 ? "; promised at most " + report::duration(t.candidate.promised_ns) : "");
}

class Tuner {
 public:
  Tuner(TriedRuns& runs, const TriedRun& first, const TuneArguments& o, double deadline, Tuning& tuning)
      : runs_(runs),
        first_(first),
        checks_(!o.check.empty()),
        target_(target_of(o)),
        patient_(o.budget != TuneArguments{}.budget),
        deadline_(deadline),
        tuning_(tuning) {}

  void try_all() {
    Progress progress;
    const double all = double(tuning_.tried.size());
    for (size_t i = 0; i < tuning_.tried.size(); ++i) {
      Tried& t = tuning_.tried[i];
      if (target_.goal == tune::Goal::cores && !tune::takes_fewer_threads(tuning_.hints, t.candidate)) {
        t.verdict = "not fewer threads";
        continue;
      }
      if (!try_one(t, [&](double part) { progress((double(i) + part) / all, "trying hints"); })) break;
      if (!t.accepted) continue;
      for (hints::Hint& h : t.candidate.hints.hints) h.comment = comment_of(t);
      tuning_.hints = tune::with(tuning_.hints, t.candidate);
      if (target_.goal != tune::Goal::time) tuning_.takes *= tune::median(t.after) / tune::median(t.before);
    }
    if (tuning_.stopped.empty() || tuning_.interrupted || tuning_.hints.hints.empty()) return;
    // The runs that went wrong had these hints.
    tuning_.stopped += "; the hints that had been accepted are dropped, as they may be why";
    tuning_.hints = {};
    for (Tried& t : tuning_.tried)
      if (std::exchange(t.accepted, false)) t.verdict = "accepted, then dropped";
  }

  static tune::Target target_of(const TuneArguments& o) {
    const tune::Goal goal = o.goal == "cores"    ? tune::Goal::cores
                            : o.goal == "energy" ? tune::Goal::energy
                                                 : tune::Goal::time;
    return {goal, o.may_lose()};
  }

 private:
  struct Words {
    const char *not_better, *not_so_far;
  };
  static Words words_of(tune::Goal goal) {
    switch (goal) {
      case tune::Goal::cores: return {"takes longer", "takes longer so far"};
      case tune::Goal::energy: return {"takes no less energy", "no less energy so far"};
      default: return {"not faster", "not faster so far"};
    }
  }
  // Less energy, for too much time, surely, or as far as is known when it is judged?
  bool takes_too_long(const std::vector<double>& times) const {
    if (target_.goal != tune::Goal::energy) return false;
    const bool enough = times.size() >= size_t(tune::kLeastPairs) && tune::median(times) > 1 + target_.may_lose;
    return enough || tune::judge(times, {tune::Goal::cores, target_.may_lose}) == tune::Verdict::not_better;
  }
  // No verdict: it goes on, or tuning_.stopped says why not.
  bool goes_on(const TriedRun& run) {
    tuning_.interrupted = run.interrupted;
    if (run.interrupted)
      tuning_.stopped = fmt::format("by signal {} ({})", run.interrupted, strsignal(run.interrupted));
    return !run.interrupted;
  }
  // A run without the hint that is tried.
  bool is_well(const TriedRun& run) {
    if (!goes_on(run)) return false;
    tuning_.stopped = wrong_with(run, first_, checks_);
    return tuning_.stopped.empty();
  }

  // One candidate, on top of what was accepted. False: that was the last one.
  template <class Shown>
  bool try_one(Tried& t, const Shown& shown) {
    const std::string with = hints::to_text(tune::with(tuning_.hints, t.candidate));
    const std::string without = tuning_.hints.hints.empty() ? "" : hints::to_text(tuning_.hints);
    std::vector<double> ratios, times;
    t.verdict = "not judged";
    while (true) {
      shown(double(ratios.size()) / tune::kMostPairs);
      const double last = t.before.empty() ? first_.seconds : t.before.back();
      if (seconds_now() + 2 * last > deadline_) {
        tuning_.no_time = true;
        return t.verdict = "no time left", false;
      }
      if (!patient_ && tuning_.hints.hints.empty() && runs_.count() + 2 > tune::kMostInVain &&
          !tune::promises(ratios, target_)) {
        tuning_.in_vain = true;
        return t.verdict = ratios.empty() ? "not tried" : words_.not_so_far, false;
      }
      TriedRun pair[2];  // without, with; first one, then the other one first
      const int begin = int(ratios.size() % 2);
      for (const int which : {begin, 1 - begin}) {
        pair[which] = runs_.run(which ? with : without, most_seconds(first_));
        if (!(which ? goes_on(pair[which]) : is_well(pair[which]))) return false;
      }
      const TriedRun& its = pair[1];
      if (!its.trouble.empty() || its.exec_error) return tuning_.stopped = wrong_with(its, first_, checks_), false;
      if (its.refused) return t.verdict = "the program itself says otherwise", true;
      if (!wrong_with(its, first_, checks_).empty()) {
        // Was it the hint?
        if (!is_well(runs_.run(without, most_seconds(first_)))) return false;
        return t.verdict = its.timed_out ? "does not end" : "changes the results", true;
      }
      t.before.push_back(pair[0].seconds);
      t.after.push_back(its.seconds);
      const bool by_energy = target_.goal == tune::Goal::energy;
      if (by_energy) {
        t.joules_before.push_back(pair[0].joules);
        t.joules_after.push_back(its.joules);
      }
      times.push_back(tuning_.takes * its.seconds / pair[0].seconds);
      ratios.push_back(by_energy ? its.joules / pair[0].joules : times.back());  // joules: TriedRuns has seen some
      if (takes_too_long(times)) return t.verdict = "takes longer", true;
      const tune::Verdict v = tune::judge(ratios, target_);
      if (v == tune::Verdict::unsure) continue;
      t.accepted = v == tune::Verdict::better;
      t.verdict = t.accepted ? "accepted" : words_.not_better;
      return true;
    }
  }

  TriedRuns& runs_;
  const TriedRun& first_;
  const bool checks_;
  const tune::Target target_;
  const Words words_ = words_of(target_.goal);
  const bool patient_;  // the user has said how long to try
  const double deadline_;
  Tuning& tuning_;
};

// Returns 0, or after a message the status.
int load_recording(const TriedRuns& runs, profile::Profile& p, MemoryOf& memory, profile::LoadDetails& details) {
  const std::string file = runs.recording(kBefore);
  if (file.empty()) return fail(kOurError, "nothing to tune: the program did not use OpenMP.");
  Progress progress;
  profile::LoadOptions load;
  load.lock_points = true;
  load.touches = &memory.touches;
  load.progress = [&](double f, const char* what) { progress(f, what); };
  profile::LoadError error;
  return profile::load(file, load, &details, p, error) ? 0 : fail(kOurError, error.message + ".");
}

// What was tried, with both grain graphs as `einkorn compare --html` draws them: without hints and with those that were
// accepted; where none was, with that of the recording. Returns what is wrong, a sentence without its full stop.
std::string write_page(TriedRuns& runs, const std::string& costs, double most_seconds, const Tuning& tuning,
                       const TuneArguments& o, const nlohmann::json& tried, int& interrupted) {
  Progress progress;
  std::string page, error;
  if (tuning.hints.hints.empty()) {
    profile::Profile p;
    profile::LoadOptions load;
    load.state_bins = true;
    load.progress = [&](double f, const char* what) { progress(f, what); };
    profile::LoadError wrong;
    if (!profile::load(runs.recording(kBefore), load, p, wrong)) return wrong.message;
    report::HtmlOptions html;
    html.tuning = &tried;
    if (!report::make_html(p, html, page, error)) return error;
    return report::write_file(o.html, page);
  }
  const TriedRun last = runs.record(costs, hints::to_text(tuning.hints), kAfter, most_seconds);
  const std::string after = runs.recording(kAfter);
  if (interrupted = last.interrupted; interrupted) return "it was interrupted";
  if (!last.trouble.empty()) return last.trouble;
  if (last.status != 0 || after.empty()) return "the run for the page ended with " + end_text(last.status);
  PairFiles files{.before = runs.recording(kBefore), .after = after, .source = {}, .symbols = {}};
  files.before_name = "without hints";
  files.after_name = "with " + o.output;
  files.tuning = &tried;
  if (!make_pair_page(files, progress, page, error)) return error;
  return report::write_file(o.html, page);
}

// May the outputs be written? Nobody shall learn after the whole budget that they cannot.
int check_outputs(TuneArguments& o, const std::string& program) {
  report::keep(program);
  report::keep("/proc/self/fd/0");
  if (o.output.empty()) o.output = o.launch.command[0].substr(o.launch.command[0].rfind('/') + 1) + ".hints";
  if (o.output == "-" || o.html == "-")
    return fail(kOurError, "-: the report goes to standard output. Give hints and page a file each.");
  if (o.output == o.html) return fail(kOurError, fmt::format("{}: give -o and --html a file each.", o.html));
  for (const std::string& file : {o.output, o.html}) {
    report::OutputFile probe;
    if (!file.empty() && !probe.open(file)) return fail(kOurError, probe.error() + ".");
  }
  return 0;
}

// Returns 0, or after a message the status. The first run, which is recorded.
int check_first(const TriedRun& first, const TuneArguments& o, const std::string& program) {
  if (!first.trouble.empty()) return fail(kOurError, first.trouble + ".");
  if (first.exec_error) return explain_failure(program, first.exec_error);
  if (first.timed_out)
    return fail(kOurError, fmt::format("a budget of {} is too small: the program was ended after that time. Give "
                                       "--budget at least ten times what it takes.",
                                       o.budget));
  if (first.status != 0)
    return fail(kOurError,
                fmt::format("nothing to tune: the program ends with {}. Its input is what stands in a file on "
                            "standard input, or nothing.",
                            end_text(first.status)));
  if (!first.right) return fail(kOurError, "--check says that the program's own output is not right.");
  return 0;
}

// What the recording tells, and what is to be tried. needed: seconds that the runs for one hint take. Returns 0, or
// after a message the status.
int look_at_recording(const TriedRuns& runs, const TuneArguments& o, double needed, double deadline, Tuning& tuning) {
  auto recorded = std::make_shared<profile::Profile>();
  auto memory = std::make_shared<MemoryOf>();
  profile::LoadDetails details;
  if (int status = load_recording(runs, *recorded, *memory, details)) return status;
  const std::vector<report::Finding> findings = report::find_problems(*recorded);
  const tune::Target target = Tuner::target_of(o);
  tuning.had_problems = !findings.empty();
  tuning.times_valid = recorded->times_valid;
  // Replays get a fifth of the budget, and none where that does not leave enough for the runs.
  const double replays_end = seconds_now() + seconds_of(o.budget) / 5;
  tuning.fewest = {};
  if (target.goal != tune::Goal::time && replays_end + needed < deadline) {
    Progress progress;
    tuning.fewest = predict_fewest(
        recorded, memory, target.may_lose, [&](double f) { progress(f, "simulating"); },
        [&] { return !ScratchFolder::interrupted() && seconds_now() < replays_end; });
  }
  tuning.tried.clear();
  for (tune::Candidate& c :
       tune::propose(*recorded, details.code, findings, target.goal, o.bold, tuning.fewest, base::is_set))
    tuning.tried.push_back(
        {.candidate = std::move(c), .before = {}, .after = {}, .joules_before = {}, .joules_after = {}});
  return 0;
}

// Everything but the end by a signal, which `interrupted` is: then no file of ours is left.
int tune_program(TuneArguments& o, int& interrupted) {
  const double budget = seconds_of(o.budget);
  if (o.loss && o.goal == "time")
    return fail(kOurError,
                "--loss says what fewer threads, or less energy, may cost: give --goal cores or energy with it.");
  if (budget == 0) return fail(kOurError, fmt::format("--budget {}: not a time, such as 90s, 10m or 1h.", o.budget));
  EnergyMeter meter;
  const bool by_energy = o.goal == "energy";
  if (by_energy)
    if (const std::string wrong = meter.open(EnergyMeter::folder()); !wrong.empty())
      return fail(kOurError, "--goal energy: " + wrong + ".");
  std::string program;
  // On a single node memory is nowhere else.
  o.launch.allocations_if_possible = machine::this_machine().node_count() > 1;
  if (int status = prepare(o.launch, program)) return status;
  if (int status = check_outputs(o, program)) return status;
  if (struct stat st; fstat(STDIN_FILENO, &st) == 0 && S_ISFIFO(st.st_mode))
    tell("standard input is no file, which each run could read again: the program runs without input.");
  const double began = seconds_now(), deadline = began + budget;
  TriedRuns runs(o.launch, program, o.check, by_energy ? &meter : nullptr);
  const std::string costs = told_costs(o.launch);
  const TriedRun first = runs.record(costs, "", kBefore, budget);
  if (interrupted = first.interrupted; interrupted) return kOurError;
  if (int status = check_first(first, o, program)) return status;
  Tuning tuning;
  const double needed = 2 * tune::kLeastPairs * first.seconds;
  if (int status = look_at_recording(runs, o, needed, deadline, tuning)) return status;
  for (int more = 0; more < kMoreRecordings && tuning.is_unknown() && seconds_now() + first.seconds + needed < deadline;
       ++more) {
    const TriedRun again = runs.record(costs, "", kBefore, most_seconds(first));
    if (interrupted = again.interrupted; interrupted) return kOurError;
    if (!wrong_with(again, first, !o.check.empty()).empty()) break;
    if (int status = look_at_recording(runs, o, needed, deadline, tuning)) return status;
  }
  if (!tuning.tried.empty() && seconds_now() + needed > deadline)
    return fail(
        kOurError,
        fmt::format("a budget of {} is too small: the program takes {}, and to judge one hint takes six runs. Give "
                    "--budget {:.0f}s or more.",
                    o.budget, time_text(first.seconds), std::ceil(1.5 * (needed + seconds_now() - began))));
  Tuner(runs, first, o, deadline, tuning).try_all();
  interrupted = tuning.interrupted;
  std::string unwritten;
  const double took = seconds_now() - began;
  const nlohmann::ordered_json tried = as_json(tuning, o, runs.count(), took);
  const std::string text = as_text(tuning, o, runs.count(), took);
  if (!tuning.hints.hints.empty()) unwritten = report::write_file(o.output, hints::to_text(tuning.hints));
  if (!o.html.empty() && !interrupted && unwritten.empty())
    if (const std::string why =
            write_page(runs, costs, most_seconds(first), tuning, o, nlohmann::json(tried), interrupted);
        !why.empty())
      tell(fmt::format("{} was not written: {}.", o.html, why));
  const int printed = o.json ? print_data(report::json_text(tried, 1)) : print_text(text);
  if (!unwritten.empty()) return fail(kOurError, unwritten + ".");
  return tuning.stopped.empty() ? printed : kOurError;
}

}  // namespace

void add_tune(CLI::App& app, const Command& command, Action& action) {
  CLI::App* verb = app.add_subcommand("tune", "Find hints that make a program faster, without touching its source");
  auto o = std::make_shared<TuneArguments>();
  verb->add_option("--goal", o->goal,
                   "time: faster; cores: fewer threads, for little more time (--loss); energy: less of it")
      ->check(CLI::IsMember({"time", "cores", "energy"}))
      ->type_name("GOAL")
      ->capture_default_str();
  verb->add_option("--loss", o->loss, "With --goal cores or energy: percent of the time that may be lost; default 5")
      ->check(not_a_percentage)
      ->type_name("PERCENT");
  verb->add_option("--budget", o->budget, "How long to try: 90s, 10m, 1h")->type_name("TIME")->capture_default_str();
  writes(verb->add_option("-o,--output", o->output, "The hints file. Default: the program's name with .hints"))
      ->type_name("FILE");
  writes(verb->add_option("--html", o->html, "Write a page: what was tried, and the grain graphs before and after"))
      ->type_name("OUT");
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
      int interrupted = 0;
      const int status = tune_program(*o, interrupted);
      if (interrupted) end_like({.status = interrupted});
      return status;
    };
  });
}

}  // namespace einkorn::cli
