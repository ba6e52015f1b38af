#include "cli/kept_costs.h"

#include "base/foreign_file.h"
#include "report/output_file.h"
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <system_error>
#include <vector>

namespace einkorn::cli {
namespace {

using profile::RuntimeCosts;
namespace fs = std::filesystem;

constexpr auto kTryAgain = std::chrono::minutes(10);  // if the machine was too busy to measure; and for streams

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
  std::string text = what + '\n';
  for (const RuntimeCosts& set : sets) text += profile::costs_text(set) + '\n';
  report::write_file(file.string(), text);
}

// Held while one process measures: two at once, such as the ranks of an MPI program, would disturb each other.
class Turn {
 public:
  explicit Turn(const fs::path& file) : fd_(base::open_own(file.c_str(), O_CREAT | O_RDWR, 0600)) {
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
bool complete(Sets& sets, double line, bool just_now, const fs::path& file, const CostsMeasurer& measurer) {
  RuntimeCosts* set = nearest(sets, line);
  const bool lacks = !set || (!profile::same_distance(set->line_now, line) && sets.size() < kMostSets);
  if (just_now && (!lacks || is_failed(sets))) return false;
  std::error_code error;
  if (!file.empty()) fs::create_directories(file.parent_path(), error);
  const Turn turn(file.empty() ? file : file.parent_path() / "costs.lock");
  if (!turn.ours()) return false;
  if (!lacks) return measurer.ask_streams(*set, profile::same_distance(set->line_now, line)), true;
  if (is_failed(sets)) sets.pop_back();
  sets.push_back(measurer.measure());
  return true;
}

}  // namespace

RuntimeCosts kept_or_measured(const fs::path& file, const std::string& what, const CostsMeasurer& measurer) {
  Sets sets = kept(file, what);
  const Sets before = sets;
  // A host's other guests use the same memory, too, and that is asked again now and then; the line is asked each time.
  const bool asked = nearest(sets, -1) != nullptr;
  const double line = asked ? measurer.line() : -1;
  const bool tried = complete(sets, line, tried_just_now(file), file, measurer);
  widen_all(sets, line);
  if (!file.empty() && (tried || !std::ranges::equal(sets, before, {}, profile::costs_text, profile::costs_text)))
    keep(file, what, sets);
  RuntimeCosts* found = nearest(sets, line);
  if (!found) return sets.empty() ? RuntimeCosts() : sets.back();
  if (asked) found->line_now = line;
  return *found;
}

}  // namespace einkorn::cli
