#include "cli/launch.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

#include "cli/target.h"
#include "cli/verbs.h"
#include "schedule/types.h"

namespace einkorn::cli {

namespace {

// Where our libraries lie: EINKORN_HOME/lib, or beside the folder of this executable.
std::string library_folder() {
  if (const char* home = getenv("EINKORN_HOME"); home && *home) return std::string(home) + "/lib";
  char self[PATH_MAX];
  ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
  if (n <= 0) return "";
  std::string path(self, size_t(n));
  path.resize(path.rfind('/'));
  return path.substr(0, path.rfind('/')) + "/lib";
}

std::string runtime_file() { return library_folder() + "/libeinkorn.so"; }
std::string audit_file() { return library_folder() + "/libeinkorn-audit.so"; }

}  // namespace

int prepare(const Launch& launch, std::string& program_path) {
  for (const std::string& file : {runtime_file(), audit_file()})
    if (access(file.c_str(), R_OK) != 0)
      return fail(kOurError, fmt::format("{} is missing ({}): the installation is incomplete. Run ./dev build, or set "
                                         "EINKORN_HOME to the folder that has lib/.", file, strerror(errno)));
  if (!launch.schedule.empty() && !schedule::find_preset(launch.schedule.c_str())) {
    int count;
    const schedule::Schedule* presets = schedule::presets(&count);
    std::string known;
    for (int i = 0; i < count; ++i) known += fmt::format("{}{} ({})", i ? "; " : "", presets[i].name, presets[i].what);
    return fail(kOurError, fmt::format("no schedule '{}'. There are: {}.", launch.schedule, known));
  }
  Target target = find_target(launch.command[0]);
  if (target.status) return fail(target.status, target.message);
  program_path = target.path;
  return 0;
}

int execute(const Launch& launch, const std::string& program_path) {
  // In front of what a user's own LD_AUDIT names: the first library's answer is the next one's question.
  const char* others = getenv("LD_AUDIT");
  std::string audit = audit_file() + (others && *others ? std::string(":") + others : "");
  setenv("LD_AUDIT", audit.c_str(), 1);
  setenv("EINKORN_RUNTIME", runtime_file().c_str(), 1);
  if (!launch.schedule.empty()) setenv("EINKORN_SCHEDULE", launch.schedule.c_str(), 1);
  if (!launch.record_path.empty()) setenv("EINKORN_RECORD", launch.record_path.c_str(), 1);
  else unsetenv("EINKORN_RECORD");
  std::vector<char*> argv;
  for (const std::string& word : launch.command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  execv(program_path.c_str(), argv.data());
  int status = errno == ENOENT ? kNotFound : kCannotRun;
  return fail(status, fmt::format("{} cannot be started: {}.", program_path, strerror(errno)));
}

}  // namespace einkorn::cli
