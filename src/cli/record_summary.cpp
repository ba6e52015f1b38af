#include "cli/record_summary.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <map>

#include "cli/progress.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "profile/profile.h"
#include "report/findings/findings.h"
#include "report/text/text.h"
#include "report/wording.h"

namespace einkorn::cli {

namespace {

constexpr size_t kMostProcesses = 64;  // recordings to summarize: each is loaded
constexpr size_t kShown = 16;

struct Problem {
  std::string place, what;
  int64_t gain = 0;
};

struct Process {
  int64_t begin = 0, end = 0;  // ns since 1970
  bool times_valid = true;
  std::map<std::string, Problem> problems;  // by source line and kind
};

// "2026-11-21T17:00:00.123Z" -> ns since 1970; 0: not of that form.
int64_t time_of(const std::string& started) {
  tm utc{};
  int ms = 0;
  if (sscanf(started.c_str(), "%d-%d-%dT%d:%d:%d.%dZ", &utc.tm_year, &utc.tm_mon, &utc.tm_mday, &utc.tm_hour,
             &utc.tm_min, &utc.tm_sec, &ms) != 7)
    return 0;
  utc.tm_year -= 1900;
  utc.tm_mon -= 1;
  return (int64_t(timegm(&utc)) * 1000 + ms) * 1'000'000;
}

bool load(const std::string& file, const KeepLines& keep, profile::Profile& profile) {
  Progress progress;
  profile::LoadOptions options;
  profile::SourceLines lines;
  options.lines = &lines;
  options.progress = [&](double fraction, const char* what) { progress(fraction, what); };
  profile::LoadError error;
  if (profile::load(file, options, profile, error)) {
    keep.add(file, lines, profile);
    return true;
  }
  tell(fmt::format("no summary of {}: {}", file, error.message));
  return false;
}

Process problems_of(const profile::Profile& p, const std::vector<report::Finding>& found) {
  Process process;
  process.begin = time_of(p.started);
  process.end = process.begin + p.wall_ns;
  process.times_valid = p.times_valid;
  const report::Places places(p);
  for (const report::Finding& f : found) {
    const std::string place = f.kind == report::ProblemKind::serial ? "the serial part"
                              : f.source == profile::kNone          ? "the program"
                                                                    : places(f.source);
    Problem& problem = process.problems[fmt::format("{} {}", int(f.kind), place)];
    if (f.gain_ns > problem.gain) problem = {place, f.what, f.gain_ns};
  }
  return process;
}

// One problem's gain in the whole program. Processes that ran at the same time save only as much as the one that it
// costs most; the savings of processes that ran one after the other add up. So the gain is the heaviest chain of
// processes, each of which began after the previous one had ended. `all` is sorted by end.
int64_t gain_of(const std::string& key, const std::vector<Process>& all) {
  std::vector<int64_t> best(all.size() + 1, 0);  // gain among the first i
  for (size_t i = 0; i < all.size(); ++i) {
    auto it = all[i].problems.find(key);
    const int64_t own = it == all[i].problems.end() ? 0 : it->second.gain;
    size_t before = 0;
    while (before < i && all[before].end <= all[i].begin) ++before;
    best[i + 1] = std::max(best[i], best[before] + own);
  }
  return best.back();
}

std::string verdict_of_all(std::vector<Process> all) {
  std::sort(all.begin(), all.end(), [](const Process& a, const Process& b) { return a.end < b.end; });
  int64_t begin = INT64_MAX, end = 0;
  std::map<std::string, std::pair<Problem, size_t>> problems;  // the worst of its kind, and in how many processes it is
  for (const Process& p : all) {
    begin = std::min(begin, p.begin);
    end = std::max(end, p.end);
    for (const auto& [key, problem] : p.problems) {
      auto& [worst, processes] = problems[key];
      if (problem.gain > worst.gain) worst = problem;
      ++processes;
    }
  }
  const std::pair<Problem, size_t>* found = nullptr;
  int64_t most = 0;
  for (const auto& [key, entry] : problems) {
    const int64_t gain = gain_of(key, all);
    if (gain > most) most = gain, found = &entry;
  }
  const auto invalid = std::count_if(all.begin(), all.end(), [](const Process& p) { return !p.times_valid; });
  if (!found && invalid)
    return fmt::format("times cannot be trusted in {} of {} processes, and no problem was found in others", invalid,
                       all.size());
  if (!found) return fmt::format("no problem found in any of {} processes", all.size());
  return fmt::format("{} costs up to {}: {} (in {} of {} processes)", found->first.place,
                     report::part_of(most, end - begin), found->first.what, found->second, all.size());
}

// This is not an error message, but the names in it are foreign all the same.
void print(const std::string& text) { fmt::print(stderr, "{}", report::terminal_text(text)); }

}  // namespace

void print_summary(const std::vector<std::string>& files, const KeepLines& keep) {
  const report::TextOptions text = text_options(STDERR_FILENO);
  std::vector<Process> all;
  for (size_t i = 0; i < std::min(files.size(), kMostProcesses); ++i) {
    profile::Profile p;
    if (!load(files[i], keep, p)) continue;
    if (i == 0) print(report::text_report(p, text));
    if (files.size() == 1) return;
    const std::vector<report::Finding> found = report::find_problems(p);
    all.push_back(problems_of(p, found));
    if (i == 0) print("\nFurther processes\n");
    else if (i <= kShown)
      print(fmt::format("  {}: {}{}\n", report::printable(files[i].substr(files[i].rfind('/') + 1)),
                        p.times_valid ? report::duration(p.wall_ns) + ", " : "", report::verdict(p, found)));
  }
  for (size_t i = kMostProcesses; i < files.size(); ++i) keep.add(files[i]);
  if (files.size() > kShown + 1) print(fmt::format("  ... and {} more\n", files.size() - kShown - 1));
  if (files.size() > kMostProcesses)
    print(fmt::format("  The last line is about the first {} of {} processes.\n", kMostProcesses, files.size()));
  if (all.empty()) return;
  const std::string line = verdict_of_all(std::move(all));
  print(fmt::format("\n{}{}{}\n", text.color ? "\x1b[1m" : "", report::printable(line), text.color ? "\x1b[0m" : ""));
}

}  // namespace einkorn::cli
