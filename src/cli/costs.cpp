#include "cli/costs.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <system_error>
#include <vector>

#include "base/cpus.h"
#include "cli/kept_costs.h"
#include "machine/types.h"

namespace einkorn::cli {
namespace {

using profile::RuntimeCosts;
namespace fs = std::filesystem;

constexpr uint32_t kMostThreads = 64;  // of the team that is measured
constexpr int kPatienceMs = 1000;      // limit for one part of a measurement, which takes some 0.2 s
// Switches by which its threads lost their CPU: with more of them the result means nothing. The recorder's writer
// causes some 70 by itself.
constexpr long kMostSwitches = 100, kOfTheWriter = 200;

// What the costs belong to: another version, build, machine or number of CPUs has others.
std::string what_is_measured(const std::string& library) {
  char host[HOST_NAME_MAX + 1] = "";
  gethostname(host, sizeof host - 1);
  struct stat s{}, tool{};  // the tool measures
  if (stat(library.c_str(), &s) != 0 || stat("/proc/self/exe", &tool) != 0) return "";
  std::ifstream cpuinfo("/proc/cpuinfo");
  std::string line, model = "unknown";
  while (std::getline(cpuinfo, line))
    if (line.rfind("model name", 0) == 0) {
      model = line.substr(std::min(line.size(), line.find(':') + 2));
      break;
    }
  return fmt::format("einkorn {} of {} bytes, {}.{:09}, and {} bytes, {}.{:09}; {}: {} x {}", EINKORN_VERSION,
                     s.st_size, s.st_mtim.tv_sec, s.st_mtim.tv_nsec, tool.st_size, tool.st_mtim.tv_sec,
                     tool.st_mtim.tv_nsec, host, base::allowed_cpus(), model);
}

fs::path cache_file(const std::string& what) {
  const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  fs::path folder = cache && *cache == '/' ? fs::path(cache)
                    : home && *home == '/' ? fs::path(home) / ".cache"
                                           : fs::path();
  if (folder.empty()) return folder;
  return folder / "einkorn" / fmt::format("costs-{:016x}.txt", std::hash<std::string>()(what));
}

// The variables that control OpenMP are for the program; here everything is at its default.
void clear_environment() {
  std::vector<std::string> names;
  for (char** e = environ; e && *e; ++e)
    for (const char* prefix : {"OMP_", "GOMP_", "KMP_", "EINKORN_"})
      if (strncmp(*e, prefix, strlen(prefix)) == 0) names.emplace_back(*e, strcspn(*e, "="));
  for (const std::string& name : names) unsetenv(name.c_str());
}

// Measures in a child, as a runtime once loaded stays. Recorded if `recording` names a file.
bool measure_in_child(const std::function<void(RuntimeCosts&)>& measure, const std::string& recording,
                      RuntimeCosts& costs, bool& quiet) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return false;
  const pid_t child = fork();
  if (child < 0) {
    close(ends[0]), close(ends[1]);
    return false;
  }
  if (child == 0) {
    const int nowhere = open("/dev/null", O_RDWR);
    for (int fd = 0; fd < 3 && nowhere >= 0; ++fd) dup2(nowhere, fd);
    clear_environment();
    if (!recording.empty()) setenv("EINKORN_RECORD", recording.c_str(), 1);
    measure(costs);
    const bool told = write(ends[1], &costs, sizeof costs) == ssize_t(sizeof costs);
    _exit(told ? 0 : 1);
  }
  close(ends[1]);
  pollfd ready{ends[0], POLLIN, 0};
  RuntimeCosts found;
  const bool told = poll(&ready, 1, kPatienceMs) == 1 && read(ends[0], &found, sizeof found) == ssize_t(sizeof found);
  close(ends[0]);
  if (!told) kill(child, SIGKILL);
  int status;
  rusage use{};
  while (wait4(child, &status, 0, &use) < 0 && errno == EINTR) {}
  quiet &= use.ru_nivcsw <= kMostSwitches + (recording.empty() ? 0 : kOfTheWriter);
  if (told) costs = found;
  return told;
}

// same_distance: CPUs are as far from each other as these costs' are.
void ask_streams(RuntimeCosts& costs, bool same_distance) {
  RuntimeCosts now;
  bool quiet = true;  // its many short threads are moved to their CPUs, which counts as a switch
  measure_in_child([&](RuntimeCosts& found) { measure_streams(costs.threads, found); }, "", now, quiet);
  if (same_distance) profile::see_streams(costs, now.stream_alone, now.stream_all);
  else profile::widen_streams(costs, now.stream_alone, now.stream_all);
}

// Several rounds, some ms apart.
RuntimeCosts measure(const std::string& library, const std::string& recording) {
  constexpr size_t kRounds = 3;
  const uint32_t threads = std::min(uint32_t(base::allowed_cpus()), kMostThreads);
  std::vector<RuntimeCosts> rounds(kRounds);
  bool quiet = true;
  auto plain = [&](RuntimeCosts& round) {
    measure_waiting(round);
    measure_costs(library, threads, false, round);
  };
  auto recorded = [&](RuntimeCosts& round) { measure_costs(library, threads, true, round); };
  for (RuntimeCosts& round : rounds)
    if (!measure_in_child(plain, "", round, quiet) || !measure_in_child(recorded, recording, round, quiet) || !quiet)
      return {};
  RuntimeCosts costs = of_rounds(rounds);
  ask_streams(costs, true);
  return costs;
}

// The system says how large the cache is, however busy the machine is.
RuntimeCosts with_cache(RuntimeCosts costs) {
  if (costs.cache_bytes >= 0) return costs;
  if (const uint64_t bytes = machine::this_machine().llc_bytes; bytes > 0) costs.cache_bytes = double(bytes);
  return costs;
}

RuntimeCosts measured_now(const std::string& library) {
  std::error_code error;
  const fs::path temporary = fs::temp_directory_path(error);
  std::string folder = (error ? fs::path("/tmp") : temporary) / "einkorn-costs-XXXXXX";
  if (!mkdtemp(folder.data())) return {};
  const RuntimeCosts costs = measure(library, folder + "/costs.grain");
  fs::remove_all(folder, error);
  return costs;
}

}  // namespace

RuntimeCosts runtime_costs() {
  const std::string library = runtime_file(), what = what_is_measured(library);
  if (what.empty()) return with_cache({});
  const CostsMeasurer measurer{line_now, [&] { return with_cache(measured_now(library)); }, ask_streams};
  return with_cache(kept_or_measured(cache_file(what), what, measurer));
}

std::string told_costs(const Launch& launch) {
  if (!launch.runtime.empty() || !launch.machine.empty() || getenv("EINKORN_MACHINE")) return "";
  const RuntimeCosts costs = runtime_costs();
  return costs.threads > 0 || costs.cache_bytes > 0 ? profile::costs_text(costs) : "";
}

}  // namespace einkorn::cli
