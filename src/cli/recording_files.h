// Where recordings go: names with %h, %p, %r, and the files that a run has left.
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace einkorn::cli {

class RecordingFiles {
 public:
  // `name`: as the user gave it; empty: the program's name with .grain, in the working directory.
  RecordingFiles(const std::string& name, const std::string& program);

  // Absolute, with its % codes: what the recorder gets.
  const std::string& pattern() const { return pattern_; }

  // The session of this run of the tool: it is in all recordings of its processes, which get it in the environment
  // (record/claim.h).
  uint64_t session() const { return session_; }

  // Can a recording be made there? The recorder replaces an older one of the same name later; any other file of that
  // name is left alone, and is an error. Returns what is wrong, or nothing.
  std::string prepare();

  // After prepare(): the output is a device or a pipe, and what goes there cannot be read back.
  bool is_device() const { return is_device_; }

  // After the program's end: could a file be written there now? If not, the recorder has said why.
  bool writable() const;

  // The name of the recording of process `child` if nothing is in the way.
  std::string plain_name(pid_t child) const;

  struct File {
    std::string path;
    pid_t process;
    bool runs;   // its process is still running, and writing it
    bool whole;  // nobody writes it any more
  };
  // The recordings of this session: first that of process `child` or of the plain name, then those of further
  // processes. Waits for those that are still being written although their processes have ended.
  std::vector<File> written(pid_t child) const;

 private:
  std::string pattern_;
  uint64_t session_;
  bool is_device_ = false;
};

}  // namespace einkorn::cli
