// What somebody else has put under a name that we are about to write. In a folder that several users may write, such as
// /tmp, another user can plant a FIFO, a link or a file under the name of a recording or of a report, and would get
// what we write: command lines, environment, source lines. Everything that Einkorn writes under a name asks here first.
//
// A file is foreign if its owner is neither the effective user nor root; a link counts as well as the file that it
// leads to. Devices, and names below /dev and /proc (/dev/stdout, /dev/fd/63), are never foreign: only root can make
// them.
#pragma once

namespace einkorn::inline base {

// Is the name, or what it leads to, somebody else's? A name that does not exist is not.
bool is_foreign(const char* path);

// As open(2), but fails with EPERM if what is there is foreign: before the call, so that a foreign FIFO does not make
// it wait, and after it, by the open file itself. The file is closed on exec.
int open_own(const char* path, int flags, unsigned mode = 0666);

}  // namespace einkorn::inline base
