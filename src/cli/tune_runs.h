// Runs of a program that is tuned: each timed, with its end and what it printed, under no hints or some.
#pragma once
#include <cstdint>
#include <string>

#include "cli/launch.h"
#include "cli/scratch_folder.h"

namespace einkorn::cli {

struct TriedRun {
  double seconds = 0;
  int status = 0;        // as waitpid(2) gives it
  int exec_error = 0;    // errno's value: it was never started
  uint64_t output = 0;   // a digest of its standard output
  bool right = true;     // as --check says; true where there is none
  bool refused = false;  // some hint was not applied: the program itself says otherwise
};

class TriedRuns {
 public:
  // check: a shell command that gets the output as its input, and says by its status whether that is right; may be
  // empty. launch: prepared.
  TriedRuns(const Launch& launch, const std::string& program, const std::string& check)
      : launch_(launch), program_(program), check_(check) {}

  // Under the hints of that text; empty: without.
  TriedRun run(const std::string& hints);
  // The same, and records.
  TriedRun record(const std::string& costs);
  // The recording of record(); empty: it made none.
  std::string recording() const;
  int count() const { return count_; }

 private:
  TriedRun run_with(const Launch& launch);

  Launch launch_;
  std::string program_, check_;
  ScratchFolder folder_;
  int count_ = 0;
};

// "status 1", "signal 11 (Segmentation fault)".
std::string end_text(int status);

}  // namespace einkorn::cli
