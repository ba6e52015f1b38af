// Runs of a program that is tuned: each timed, with its end and what it printed, under no hints or some.
#pragma once
#include <cstdint>
#include <string>

#include "cli/energy.h"
#include "cli/launch.h"
#include "cli/scratch_folder.h"

namespace einkorn::cli {

struct TriedRun {
  double seconds = 0;
  double joules = 0;       // where a meter counts
  int status = 0;          // as waitpid(2) gives it
  int exec_error = 0;      // errno's value: it was never started
  int interrupted = 0;     // a signal by which a user ends programs came meanwhile; 0: none
  bool timed_out = false;  // it was ended because it took too long
  uint64_t output = 0;     // a digest of its standard output
  bool right = true;       // as --check says; true where there is none
  bool refused = false;    // some hint was not applied: the program itself says otherwise
  std::string
      trouble;  // what was wrong with the tool's own part of it, a sentence without its full stop; empty: nothing
};

class TriedRuns {
 public:
  // check: a shell command that gets the output as its input, and says by its status whether that is right; may be
  // empty. launch: prepared.
  // meter: counts what each run takes; opened, or nullptr.
  TriedRuns(const Launch& launch, const std::string& program, const std::string& check, EnergyMeter* meter = nullptr);

  // Under the hints of that text; empty: without. It is ended after most_seconds.
  TriedRun run(const std::string& hints, double most_seconds);
  // The same, and records. name: recording()'s.
  TriedRun record(const std::string& costs, const std::string& hints, const std::string& name, double most_seconds);
  // The recording of record(); empty: it made none.
  std::string recording(const std::string& name) const;
  int count() const { return count_; }

 private:
  TriedRun run_with(Launch launch, const std::string& hints, double most_seconds);
  void check(TriedRun& run, const std::string& output, double most_seconds) const;

  Launch launch_;
  std::string program_, check_;
  bool record_allocations_;
  EnergyMeter* meter_;
  ScratchFolder folder_;
  int count_ = 0;
};

// "status 1", "signal 11 (Segmentation fault)".
std::string end_text(int status);

}  // namespace einkorn::cli
