// Where a recording goes: names with %h, %p, %r, and the files that a run has left.
#pragma once
#include <sys/types.h>

#include <ctime>
#include <string>
#include <vector>

namespace einkorn::cli {

class RecordingFiles {
 public:
  // `name`: as the user gave it; empty: the program's name with .grain, in the working directory.
  RecordingFiles(const std::string& name, const std::string& program);

  // Absolute, with its % codes: what the recorder gets.
  const std::string& pattern() const { return pattern_; }

  // Can a recording be made there? Removes an older one of the same name. Anything else of that name is left, and an
  // error. Returns what is wrong, or nothing.
  std::string prepare();

  // After prepare(): the output is a device or a pipe, and what goes there cannot be read back.
  bool is_device() const { return is_device_; }

  // After the program's end: could a file be written there now? Where it could not, the recorder has said why.
  bool writable() const;

  // Recordings made since prepare(): that of process `child` or the one without a process number first, then those of
  // further processes.
  std::vector<std::string> written(pid_t child) const;

 private:
  std::string pattern_;
  bool is_device_ = false;
  timespec since_{};
};

}  // namespace einkorn::cli
