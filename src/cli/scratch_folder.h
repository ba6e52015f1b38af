// A folder for files of one run, which is gone when the run has ended, also by a signal.
#pragma once
#include <signal.h>

#include <functional>
#include <string>

namespace einkorn::cli {

// Signals that would end this process wait while it exists. They do reach the programs that are started meanwhile, as
// those begin with as_before(). Whatever may take long, or wait for somebody, is done in_scratch_folder().
class ScratchFolder {
 public:
  ScratchFolder();  // throws std::system_error
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::string& path() const { return path_; }
  // Called in a child before it becomes a program.
  void as_before() const;
  // Is it one of the signals by which a user ends a program?
  static bool ends(int signal);
  // Has a signal come that is to end us? It then does when the folder is gone.
  static bool interrupted();

 private:
  std::string path_;
  sigset_t before_;
};

// Does `work` in a process of its own, which ends by the signals that end programs whatever it waits for, and ends this
// one as that ended, when the folder is gone. `work` returns the status.
[[noreturn]] void in_scratch_folder(const std::function<int(const ScratchFolder&)>& work);

}  // namespace einkorn::cli
