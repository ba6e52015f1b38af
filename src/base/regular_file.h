// Files that somebody else has named: a recording names its binaries, their debug information and its sources. To open
// a FIFO waits for a writer, for ever, and to open a device may do something.
#pragma once
#include <string>

namespace einkorn::inline base {

// As open(2) to read, closed on exec; -1 with EINVAL if it is no regular file, links followed. It is asked before the
// file is opened, and again by the open file itself.
int open_regular(const std::string& path, int flags = 0);

}  // namespace einkorn::inline base
