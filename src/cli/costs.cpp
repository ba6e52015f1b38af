#include "cli/costs.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <system_error>
#include <vector>

#include "base/cpus.h"
#include "machine/types.h"

namespace einkorn::cli {
namespace {

using profile::RuntimeCosts;
namespace fs = std::filesystem;

constexpr uint32_t kMostThreads = 64;                 // of the team that is measured
constexpr int kPatienceMs = 1000;                     // limit for one part of a measurement, which takes some 0.2 s
constexpr auto kTryAgain = std::chrono::minutes(10);  // if the machine was too busy to measure; and for streams
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

// How far two CPUs are from each other decides what most constructs cost, and a host moves a virtual machine's CPUs:
// two may be of one core, and of different chips some seconds later. So there is a set of costs for each distance at
// which somebody recorded; line_now of a set: the line's time when it was measured.
using Sets = std::vector<RuntimeCosts>;
constexpr size_t kMostSets = 4;

// The set for a line that takes so long; nullptr: there is none.
RuntimeCosts* nearest(Sets& sets, double line) {
  RuntimeCosts* found = nullptr;
  for (RuntimeCosts& set : sets)
    if (set.threads > 0 &&
        (!found || profile::lines_differ(set.line_now, line) < profile::lines_differ(found->line_now, line)))
      found = &set;
  return found;
}

// A set with threads 0 at the end: the machine was too busy when it was last tried.
bool is_failed(const Sets& sets) { return !sets.empty() && sets.back().threads == 0; }

Sets kept(const fs::path& file, const std::string& what) {
  std::ifstream in(file);
  std::string line;
  if (!std::getline(in, line) || line != what) return {};
  Sets sets;
  while (std::getline(in, line)) sets.push_back(profile::costs_of_text(line));
  return sets;
}

// Written whole or not at all: another `einkorn record` may be reading it. If it cannot be kept, the costs are measured
// again next time.
void keep(const fs::path& file, const std::string& what, const Sets& sets) {
  std::error_code error;
  const fs::path unfinished = file.string() + fmt::format(".{}", getpid());
  std::ofstream out(unfinished);
  out << what << '\n';
  for (const RuntimeCosts& set : sets) out << profile::costs_text(set) << '\n';
  out.close();
  fs::rename(unfinished, file, error);
  if (error) fs::remove(unfinished, error);
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
void ask_streams(RuntimeCosts& costs, bool same_distance = true) {
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
  ask_streams(costs);
  return costs;
}

// Held while one process measures: two at once, such as the ranks of an MPI program, would disturb each other.
class Turn {
 public:
  explicit Turn(const fs::path& file) : fd_(open(file.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600)) {
    ours_ = fd_ < 0 || flock(fd_, LOCK_EX | LOCK_NB) == 0;
  }
  ~Turn() {
    if (fd_ >= 0) close(fd_);
  }
  Turn(const Turn&) = delete;
  bool ours() const { return ours_; }

 private:
  int fd_;
  bool ours_;
};

bool tried_just_now(const fs::path& file) {
  std::error_code error;
  const auto then = fs::last_write_time(file, error);
  return !error && fs::file_time_type::clock::now() - then < kTryAgain;
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

// What one of the sets knows of lines and streams, each has.
void widen_all(Sets& sets, double line) {
  for (RuntimeCosts& set : sets) {
    if (set.threads == 0) continue;
    profile::widen_line(set, line);
    for (const RuntimeCosts& other : sets) {
      profile::widen_line(set, other(profile::Waiting::line));
      profile::widen_line(set, other.line_most);
      profile::widen_streams(set, other.stream_alone, other.stream_all);
    }
  }
}

// Measures what these lack: a set for that line, or, where all are there, streams again. False: nothing was tried.
bool complete(Sets& sets, double line, bool just_now, const fs::path& file, const std::string& library) {
  RuntimeCosts* set = nearest(sets, line);
  const bool lacks = !set || (!profile::same_distance(set->line_now, line) && sets.size() < kMostSets);
  if (just_now && (!lacks || is_failed(sets))) return false;
  std::error_code error;
  if (!file.empty()) fs::create_directories(file.parent_path(), error);
  const Turn turn(file.empty() ? file : file.parent_path() / "costs.lock");
  if (!turn.ours()) return false;
  if (!lacks) return ask_streams(*set, profile::same_distance(set->line_now, line)), true;
  if (is_failed(sets)) sets.pop_back();
  sets.push_back(with_cache(measured_now(library)));
  return true;
}

// What was kept, or is measured now; nothing if neither is possible.
RuntimeCosts kept_or_measured() {
  const std::string library = runtime_file(), what = what_is_measured(library);
  if (what.empty()) return {};
  const fs::path file = cache_file(what);
  Sets sets = kept(file, what);
  const Sets before = sets;
  // A host's other guests use the same memory, too, and that is asked again now and then; the line is asked each time.
  const bool asked = nearest(sets, -1) != nullptr;
  const double line = asked ? line_now() : -1;
  const bool tried = complete(sets, line, tried_just_now(file), file, library);
  widen_all(sets, line);
  if (!file.empty() && (tried || !std::ranges::equal(sets, before, {}, profile::costs_text, profile::costs_text)))
    keep(file, what, sets);
  RuntimeCosts* found = nearest(sets, line);
  if (!found) return sets.empty() ? RuntimeCosts() : sets.back();
  if (asked) found->line_now = line;
  return *found;
}

}  // namespace

RuntimeCosts runtime_costs() { return with_cache(kept_or_measured()); }

std::string told_costs(const Launch& launch) {
  if (!launch.runtime.empty() || !launch.machine.empty() || getenv("EINKORN_MACHINE")) return "";
  const RuntimeCosts costs = runtime_costs();
  return costs.threads > 0 || costs.cache_bytes > 0 ? profile::costs_text(costs) : "";
}

}  // namespace einkorn::cli
