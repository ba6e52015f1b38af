// einkorn record [-o app.grain] -- ./app args
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "cli/child.h"
#include "cli/launch.h"
#include "cli/progress.h"
#include "cli/recording_files.h"
#include "cli/verbs.h"
#include "profile/profile.h"
#include "report/text.h"

namespace einkorn::cli {

namespace {

struct Options {
  Launch launch;
  std::string output;
  bool no_report = false;
};

void print_summary(const std::string& file) {
  profile::Profile profile;
  {
    Progress progress;
    profile::LoadOptions options;
    options.progress = [&](double fraction, const char* what) { progress(fraction, what); };
    profile::LoadError error;
    if (!profile::load(file, options, profile, error)) {
      fmt::print(stderr, "einkorn: no summary: {}\n", error.message);
      return;
    }
  }
  report::TextOptions text;
  text.color = isatty(STDERR_FILENO);
  fmt::print(stderr, "{}", report::text_report(profile, text));
}

// On stderr: the program's own output stays what it is. The report comes last, as its last line is what to look at.
void tell(const RecordingFiles& recording, pid_t child, bool report) {
  if (recording.is_device()) return;
  std::vector<std::string> files = recording.written(child);
  if (files.empty()) {
    if (recording.writable())
      fmt::print(stderr, "einkorn: nothing was recorded: the program did not come to use OpenMP.\n");
    return;
  }
  fmt::print(stderr, "einkorn: recorded in {}\n", files[0]);
  if (files.size() > 1) {
    constexpr size_t kShown = 10;
    fmt::print(stderr, "einkorn: {} further processes recorded, in", files.size() - 1);
    for (size_t i = 1; i < files.size() && i <= kShown; ++i) fmt::print(stderr, " {}", files[i]);
    fmt::print(stderr, "{}\n", files.size() - 1 > kShown ? " ..." : "");
  }
  if (report) print_summary(files[0]);
}

int record(Options& o) {
  // Before anything is looked at: a missing program is told before a missing folder.
  RecordingFiles files(o.output, o.launch.command.empty() ? "" : o.launch.command[0]);
  o.launch.record_path = files.pattern();
  std::string program;
  if (int status = prepare(o.launch, program)) return status;
  if (std::string wrong = files.prepare(); !wrong.empty()) return fail(kOurError, wrong);

  ChildEnd end = run_child([&] { return execute(o.launch, program); });
  if (end.exec_error) return explain_failure(program, end.exec_error);
  // From here on the status is the program's, whatever becomes of the report.
  try {
    tell(files, end.pid, !o.no_report);
  } catch (const std::exception& error) {
    fmt::print(stderr, "einkorn: no summary: {}\n", error.what());
  }
  end_like(end);
}

}  // namespace

void add_record(CLI::App& app, const Command& command, Action& action) {
  CLI::App* verb = app.add_subcommand("record", "Run a program and record every grain; prints a summary when it ends");
  auto o = std::make_shared<Options>();
  verb->add_option("-o,--output", o->output,
                   "The recording; %h host, %p process, %r MPI rank. Default: the program's name with .grain")
      ->type_name("FILE");
  verb->add_option("--schedule", o->launch.schedule, "Task scheduler: a preset (see docs/reference.md); default ws")
      ->type_name("S");
  verb->add_option("--machine", o->launch.machine, "Run as on another machine: a model, a file or numa:4 core:8 (see docs/machines.md)")
      ->type_name("M");
  verb->add_option("--runtime", o->launch.runtime,
                   "libomp: on LLVM's library instead of ours, through OMPT; what it cannot tell is absent")
      ->type_name("R");
  verb->add_flag("--no-report", o->no_report, "No summary at the end");
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
