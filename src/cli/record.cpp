// einkorn record [-o app.grain] -- ./app args
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "cli/child.h"
#include "cli/costs.h"
#include "cli/hints_file.h"
#include "cli/keep_lines.h"
#include "cli/launch.h"
#include "cli/record_counters.h"
#include "cli/record_limits.h"
#include "cli/record_summary.h"
#include "cli/recording_files.h"
#include "cli/verbs.h"
#include "record/claim.h"
#include "report/wording.h"

namespace einkorn::cli {

namespace {

struct RecordArguments {
  Launch launch;
  RecordLimits limits;
  RecordCounters counters;
  std::string output;
  bool no_report = false, no_source = false, baseline = false;
};

// Runs the program on the runtime that it was linked with: its time, or less than 0 after a message that says why.
double time_baseline(const Launch& launch, const std::string& program) {
  const double begin = seconds_now();
  ChildEnd end = run_child([&] {
    int nowhere = open("/dev/null", O_RDWR);
    for (int fd = 0; fd < 3 && nowhere >= 0; ++fd) dup2(nowhere, fd);
    if (nowhere > 2) close(nowhere);
    std::vector<char*> argv;
    for (const std::string& word : launch.command) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    execv(program.c_str(), argv.data());
    return errno;
  });
  const double took = seconds_now() - begin;
  if (end.exec_error) {
    tell(fmt::format("no baseline: {} cannot be started: {}.", program, strerror(end.exec_error)));
    return -1;
  }
  if (end.status != 0) tell("no baseline: the program failed on its own runtime, without input.");
  return end.status == 0 ? took : -1;
}

// On stderr: the program's own output stays as it is. The report comes last, as its last line is the most important
// one.
void tell_of(const RecordingFiles& recording, pid_t child, bool report, const KeepLines& keep) {
  if (recording.is_device()) return;
  const std::string plain = recording.plain_name(child);
  std::vector<RecordingFiles::File> files = recording.written(child);
  if (files.empty()) {
    if (recording.writable())
      tell(fmt::format("nothing was recorded: the program did not use OpenMP.{}",
                       access(plain.c_str(), F_OK) == 0 ? fmt::format(" {} is of another run.", plain) : ""));
    return;
  }
  const bool another = std::none_of(files.begin(), files.end(), [&](const auto& f) { return f.path == plain; }) &&
                       access(plain.c_str(), F_OK) == 0;
  tell(fmt::format("recorded in {}{}", files[0].path, another ? fmt::format(" ({} is of another run)", plain) : ""));
  if (files.size() > 1) {
    constexpr size_t kShown = 10;
    std::string names;
    for (size_t i = 1; i < files.size() && i <= kShown; ++i) names += " " + files[i].path;
    tell(fmt::format("{} recorded, in{}{}",
                     files.size() == 2 ? "1 further process" : fmt::format("{} further processes", files.size() - 1),
                     names, files.size() - 1 > kShown ? " ..." : ""));
  }
  std::vector<std::string> whole;
  for (const auto& f : files) {
    if (f.runs) tell(fmt::format("process {} still runs and records: {} is not in the summary", f.process, f.path));
    else if (!f.whole)
      tell(fmt::format("{} is still being written, without progress: it is not in the summary", f.path));
    else whole.push_back(f.path);
  }
  if (report && !whole.empty()) return print_summary(whole, keep);
  for (const std::string& file : whole) keep.add(file);
}

int record(RecordArguments& o) {
  // Before any other check: a missing program is reported before a missing folder.
  RecordingFiles files(o.output, o.launch.command.empty() ? "" : o.launch.command[0]);
  o.launch.record_path = files.pattern();
  std::string program, wrong = o.limits.check();
  if (wrong.empty()) wrong = o.counters.check();
  if (wrong.empty() && o.counters.asked && o.launch.accesses)
    wrong = "--accesses and --counters cannot be combined: the hooks would be counted. Record twice.";
  if (wrong.empty() && o.counters.asked && !o.launch.runtime.empty())
    wrong = "--counters is for Einkorn's runtime: it cannot be combined with --runtime.";
  if (!wrong.empty()) return fail(kOurError, wrong);
  o.launch.limited = o.limits.any();
  if (int status = prepare(o.launch, program)) return status;
  o.launch.environment = o.limits.environment(program, wrong);
  if (wrong.empty()) wrong = files.prepare();
  if (!wrong.empty()) return fail(kOurError, wrong);
  o.launch.environment.emplace_back(record::kSessionVariable, std::to_string(files.session()));
  if (o.counters.asked) o.launch.environment.emplace_back("EINKORN_RECORD_COUNTERS", o.counters.variable());

  if (const std::string costs = told_costs(o.launch); !costs.empty())
    o.launch.environment.emplace_back("EINKORN_RECORD_COSTS", costs);
  const double baseline = o.baseline ? time_baseline(o.launch, program) : -1;
  if (baseline >= 0)  // for the recording: see baseline_ns() in record/meta.cpp
    o.launch.environment.emplace_back("EINKORN_RECORD_BASELINE",
                                      fmt::format("{}@{}", int64_t(baseline * 1e9), getpid()));
  const double begin = seconds_now();
  ChildEnd end = run_child([&] { return execute(o.launch, program); });
  if (end.exec_error) return explain_failure(program, end.exec_error);
  // From here on the status is the program's, whatever becomes of the report.
  try {
    const double took = seconds_now() - begin;
    if (baseline >= 0)
      tell(fmt::format("baseline: {} on the program's own runtime, {} on Einkorn's with recording ({:+.1f} %)",
                       report::duration(int64_t(baseline * 1e9)), report::duration(int64_t(took * 1e9)),
                       100 * (took / baseline - 1)));
    tell_of(files, end.pid, !o.no_report, {files.session(), o.limits.most_bytes(), !o.no_source});
  } catch (const std::exception& error) {
    tell(fmt::format("no summary: {}", error.what()));
  }
  end_like(end);
}

}  // namespace

void add_record(CLI::App& app, const Command& command, Action& action) {
  CLI::App* verb = app.add_subcommand("record", "Run a program and record every grain; prints a summary when it ends");
  auto o = std::make_shared<RecordArguments>();
  verb->add_option("-o,--output", o->output,
                   "The recording; %h host, %p process, %r MPI rank. Default: the program's name with .grain")
      ->type_name("FILE");
  verb->add_option("--schedule", o->launch.schedule, "Task scheduler: a preset (see docs/schedules.md); default ws")
      ->type_name("S");
  verb->add_option("--machine", o->launch.machine,
                   "Run as on another machine: a model, a file or numa:4 core:8 (see docs/machines.md)")
      ->type_name("M");
  add_hints_option(*verb, o->launch.hints);
  verb->add_option("--runtime", o->launch.runtime,
                   "libomp: on LLVM's library instead of ours, through OMPT; what that cannot tell is absent")
      ->type_name("R");
  verb->add_flag(
      "--baseline", o->baseline,
      "First run the program on its own runtime, and time it: it runs twice, the first time without input, its output "
      "discarded");
  verb->add_flag(
      "--accesses", o->launch.accesses,
      "Count each grain's memory accesses, too, in programs compiled with -fsanitize=thread (see docs/accesses.md)");
  verb->add_flag(
      "--allocations", o->launch.allocations,
      "Also record who allocates large blocks of memory, and on which memory nodes these and large global variables "
      "lie (see docs/memory.md)");
  o->counters.add_option(*verb);
  o->limits.add_options(*verb);
  verb->add_flag("--no-report", o->no_report, "No summary at the end");
  verb->add_flag("--no-source", o->no_source, "Keep no text of the program's source lines in the recording");
  verb->footer(
      "The program follows after --. The summary goes to stderr; the program's output and exit status stay its own.\n"
      "Example: einkorn record -o sort.grain -- ./sort 1000000");
  verb->callback([o, &command, &action] {
    action = [o, &command] {
      o->launch.command = command;
      return record(*o);
    };
  });
}

}  // namespace einkorn::cli
