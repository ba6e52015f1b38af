// Whose file is it? How a recording gets its name, and how others see that it is being written.
//
// A file is created exclusively and for its owner alone (0600: it holds the command line). It is locked (flock) as long
// as somebody writes it; the kernel releases the lock however the writer ends. All processes that one `einkorn record`
// starts, by fork, exec or mpirun, are a *session*, whose number they inherit in the environment; each file's header
// has it.
//
// Only a session replaces a file that is in the way, and only a recording that was over when the session began: nobody
// holds its lock, it has not changed since, and it belongs neither to this session nor to another one that is running.
// The new file is made beside it and renamed, so that there is always a whole one. Any other file in the way is left
// alone, and the name gets longer (file_name.h). A pipe or a device is written to, unless another user has put it there
// (base/foreign_file.h): that is in the way, too.
#pragma once
#include <cstddef>
#include <cstdint>
#include "record/format.h"

namespace einkorn::record {

inline constexpr const char* kSessionVariable = "EINKORN_RECORD_SESSION";

// Number of a session: its tool's process number, and the time when that began: the lower half of the ms since 1970.
constexpr uint64_t session_number(uint32_t pid, uint64_t began_ms) { return uint64_t(pid) << 32 | uint32_t(began_ms); }
// As the environment has it; 0: no session.
uint64_t session_of_environment();

enum class Content { recording, nothing, foreign };
// From the begin of the file. `header` is filled in as far as the file has it; the rest is 0.
Content content_of(int fd, FileHeader& header);

// Is somebody writing it? If the file system has no locks: does it lack its end block?
bool is_being_written(int fd);

struct Claim {
  int fd = -1;
  bool made = false;  // created by us; otherwise a pipe or a device
  char path[4096 + 64] = "";
};
// Opens the file to record into, `name` or a longer one. When this returns, a regular file is locked and begins with
// `header`. Returns 0, or an errno, and then `path` is the name that was tried last.
int claim(const char* name, const FileHeader& header, Claim& claim);

}  // namespace einkorn::record
