#include "cli/tune_runs.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "cli/child.h"
#include "hints/text.h"
#include "report/output_file.h"

namespace einkorn::cli {

namespace {

// FNV-1a, which tells outputs apart that nobody makes alike.
uint64_t digest_of(const std::string& path) {
  uint64_t hash = 0xcbf29ce484222325ull;
  FILE* file = fopen(path.c_str(), "rb");
  if (!file) return hash;
  unsigned char bytes[65536];
  for (size_t n; (n = fread(bytes, 1, sizeof bytes, file)) > 0;)
    for (size_t i = 0; i < n; ++i) hash = (hash ^ bytes[i]) * 0x100000001b3ull;
  fclose(file);
  return hash;
}

// What the runtime says of a hint that the program overrules (runtime/tuned).
bool says_refused(const std::string& path) {
  FILE* file = fopen(path.c_str(), "rb");
  if (!file) return false;
  char line[4096];
  bool found = false;
  while (!found && fgets(line, sizeof line, file))
    found = !strncmp(line, "einkorn: hints, line ", 21) && strstr(line, " is not applied: ");
  fclose(file);
  return found;
}

// What each run reads: the user's file from its beginning, by an offset of its own, or nothing. What cannot be read
// twice is not there.
const char* input() {
  struct stat st;
  return fstat(STDIN_FILENO, &st) == 0 && S_ISREG(st.st_mode) ? "/proc/self/fd/0" : "/dev/null";
}

}  // namespace

std::string end_text(int status) {
  return WIFSIGNALED(status) ? fmt::format("signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)))
                             : fmt::format("status {}", WEXITSTATUS(status));
}

TriedRuns::TriedRuns(const Launch& launch, const std::string& program, const std::string& check, EnergyMeter* meter)
    : launch_(launch), program_(program), check_(check), record_allocations_(launch.allocations), meter_(meter) {
  launch_.allocations = false;  // in recordings only
  // What is compared is with and without our hints, and no run but ours records. The runtime's messages tell whether
  // the program overrules a hint.
  launch_.withheld = {"EINKORN_HINTS", "EINKORN_RECORD"};
  launch_.environment.emplace_back("KMP_WARNINGS", "true");
}

TriedRun TriedRuns::run_with(Launch launch, const std::string& hints, double most_seconds) {
  const std::string out = folder_.path() + "/out", err = folder_.path() + "/err";
  ++count_;
  TriedRun run;
  if (ScratchFolder::interrupted()) {  // between two runs
    run.interrupted = SIGINT;
    return run;
  }
  launch.hints.clear();
  launch.places_allocations = false;
  if (!hints.empty()) {
    hints::File file;
    std::vector<hints::Complaint> wrong;
    launch.places_allocations = hints::parse(hints, file, wrong) && hints::places_allocations(file);
    launch.hints = folder_.path() + "/hints";
    if (run.trouble = report::write_file(launch.hints, hints); !run.trouble.empty()) return run;
  }
  const NowAndThen looks{EnergyMeter::kLookSeconds, [this] { meter_->look(); }};
  if (meter_) meter_->start();
  const double began = seconds_now();
  const ChildEnd end = run_child(
      [&] {
        folder_.as_before();
        if (!redirect(input(), O_RDONLY, STDIN_FILENO)) return errno;
        if (!redirect(out, O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO)) return errno;
        if (!redirect(err, O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO)) return errno;
        return execute(launch, program_);
      },
      most_seconds, meter_ ? &looks : nullptr);
  run.seconds = seconds_now() - began;
  if (meter_) {
    meter_->look();
    run.joules = meter_->joules();
    run.trouble = meter_->trouble();
    if (run.trouble.empty() && run.joules == 0 && !run.interrupted)
      run.trouble = fmt::format(
          "the counters of energy stand still: in {:.3g} s the processors took 0 J by them. They count every millisecond or so, if at all",
          run.seconds);
  }
  run.status = end.status;
  run.exec_error = end.exec_error;
  run.interrupted = end.interrupted;
  run.timed_out = end.timed_out;
  run.output = digest_of(out);
  run.refused = says_refused(err);
  if (!check_.empty() && run.status == 0 && !run.exec_error && !run.interrupted) check(run, out, most_seconds);
  return run;
}

void TriedRuns::check(TriedRun& run, const std::string& output, double most_seconds) const {
  const ChildEnd end = run_child(
      [&] {
        folder_.as_before();
        if (!redirect(output, O_RDONLY, STDIN_FILENO)) return errno;
        dup2(STDERR_FILENO, STDOUT_FILENO);  // what it says is not the tool's report
        execl("/bin/sh", "sh", "-c", check_.c_str(), nullptr);
        return errno;
      },
      most_seconds);
  run.interrupted = end.interrupted;
  run.right = end.status == 0 && end.exec_error == 0;
  // As the shell says that there is no such command.
  const bool found = !WIFEXITED(end.status) || (WEXITSTATUS(end.status) != 126 && WEXITSTATUS(end.status) != 127);
  if (end.exec_error || !found) run.trouble = "the command of --check cannot be run";
  if (end.timed_out) run.trouble = "the command of --check does not end";
}

TriedRun TriedRuns::run(const std::string& hints, double most_seconds) {
  return run_with(launch_, hints, most_seconds);
}

TriedRun TriedRuns::record(const std::string& costs, const std::string& hints, const std::string& name,
                           double most_seconds) {
  Launch launch = launch_;
  launch.allocations = record_allocations_;
  launch.record_path = folder_.path() + "/" + name + ".grain";
  // Of an earlier time: nothing recorded is overwritten, and recording() would find it.
  for (std::string old; !(old = recording(name)).empty();)
    if (std::error_code error; !std::filesystem::remove(old, error)) break;
  if (!costs.empty()) launch.environment.emplace_back("EINKORN_RECORD_COSTS", costs);
  return run_with(launch, hints, most_seconds);
}

std::string TriedRuns::recording(const std::string& name) const {
  // Of several processes the one that recorded most.
  std::string found;
  uintmax_t most = 0;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path(), error)) {
    const bool its = entry.path().extension() == ".grain" && entry.path().filename().string().starts_with(name + ".");
    const uintmax_t bytes = its ? entry.file_size(error) : 0;
    if (!error && bytes > most) most = bytes, found = entry.path().string();
  }
  return found;
}

}  // namespace einkorn::cli
