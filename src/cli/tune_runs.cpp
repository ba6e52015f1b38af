#include "cli/tune_runs.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "cli/child.h"
#include "record/system.h"
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

void take(const std::string& path, int flags, int as) {
  const int fd = open(path.c_str(), flags | O_CLOEXEC, 0600);
  if (fd >= 0) dup2(fd, as);
}

}  // namespace

std::string end_text(int status) {
  return WIFSIGNALED(status) ? fmt::format("signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)))
                             : fmt::format("status {}", WEXITSTATUS(status));
}

TriedRun TriedRuns::run_with(const Launch& launch) {
  const std::string out = folder_.path() + "/out", err = folder_.path() + "/err";
  ++count_;
  TriedRun run;
  const uint64_t began = record::monotonic_ns();
  const ChildEnd end = run_child([&] {
    folder_.as_before();
    // Each run reads the same: a file from its beginning. What cannot be read twice is not there.
    if (lseek(0, 0, SEEK_SET) != 0) take("/dev/null", O_RDONLY, 0);
    take(out, O_WRONLY | O_CREAT | O_TRUNC, 1);
    take(err, O_WRONLY | O_CREAT | O_TRUNC, 2);
    return execute(launch, program_);
  });
  run.seconds = 1e-9 * double(record::monotonic_ns() - began);
  run.status = end.status;
  run.exec_error = end.exec_error;
  run.output = digest_of(out);
  run.refused = says_refused(err);
  if (!check_.empty() && run.status == 0) {
    const ChildEnd checked = run_child([&] {
      folder_.as_before();
      take(out, O_RDONLY, 0);
      execl("/bin/sh", "sh", "-c", check_.c_str(), nullptr);
      return errno;
    });
    run.right = checked.status == 0 && checked.exec_error == 0;
  }
  return run;
}

TriedRun TriedRuns::run(const std::string& hints) {
  Launch launch = launch_;
  launch.hints.clear();
  if (!hints.empty()) {
    launch.hints = folder_.path() + "/hints";
    report::write_file(launch.hints, hints);
  }
  return run_with(launch);
}

TriedRun TriedRuns::record(const std::string& costs) {
  Launch launch = launch_;
  launch.record_path = folder_.path() + "/run.grain";
  if (!costs.empty()) launch.environment.emplace_back("EINKORN_RECORD_COSTS", costs);
  return run_with(launch);
}

std::string TriedRuns::recording() const {
  // Of several processes the one that recorded most.
  std::string found;
  uintmax_t most = 0;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path(), error)) {
    const uintmax_t bytes = entry.path().extension() == ".grain" ? entry.file_size(error) : 0;
    if (!error && bytes > most) most = bytes, found = entry.path().string();
  }
  return found;
}

}  // namespace einkorn::cli
