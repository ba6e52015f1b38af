// Was a signal sent to this process alone, or to its whole process group? The signal does not say. A child in the same
// group that only waits can tell: it also gets whatever is sent to the group.
#pragma once
#include <sys/types.h>

namespace einkorn::cli {

class Witness {
 public:
  // Forks it. Make it while all signals are blocked, as they must be in the child, too, and before the program is
  // started.
  Witness();
  ~Witness();
  Witness(const Witness&) = delete;
  Witness& operator=(const Witness&) = delete;

  // For a signal that we have just got: has the witness got one of that number, too, since it was last asked? False if
  // there is no witness.
  bool saw(int signal) const;

 private:
  pid_t pid_ = -1;
  int question_ = -1;  // our end of a socket: a signal's number, answered by a byte
};

}  // namespace einkorn::cli
