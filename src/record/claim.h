// Whose file is it? How a recording comes to its name, and how others see that it is being written.
//
// A file is made exclusively, for its owner's eyes only (0600: it holds the command line), and locked (flock) for as long as somebody
// writes it: the kernel gives the lock back however that ends. All processes that one `einkorn record` starts, by fork, exec or mpirun,
// are a *session*, whose number they inherit in the environment; each file's header has it.
//
// What is in the way is replaced only by a session, and only where it is a recording that was over when that began: nobody holds its lock,
// it has not changed since, and it is neither of this session nor of another one that goes on. The new one is made beside it and renamed, so that there is always a whole
// one. Whatever else is in the way is left, and the name made longer (file_name.h).
#pragma once
#include <cstddef>
#include <cstdint>
#include "record/format.h"

namespace einkorn::record {

inline constexpr const char* kSessionVariable = "EINKORN_RECORD_SESSION";

// Number of a session: its tool's process number, and when that began: ms since 1970, the lower half.
constexpr uint64_t session_number(uint32_t pid, uint64_t began_ms) { return uint64_t(pid) << 32 | uint32_t(began_ms); }
// As the environment has it; 0: no session.
uint64_t session_of_environment();

enum class Content { recording, nothing, foreign };
// Of the file from its begin. `header` is filled in as far as it is there, else 0.
Content content_of(int fd, FileHeader& header);

// Does somebody write it? Where the file system has no locks: has it no end?
bool is_being_written(int fd);

struct Claim {
  int fd = -1;
  bool made = false;   // by us: else a pipe or a device
  char path[4096 + 64] = "";
};
// Opens the file to record into, `name` or a longer one. A regular one is locked and begins with `header` when this returns.
// 0, or an errno, with `path` as far as that came.
int claim(const char* name, const FileHeader& header, Claim& claim);

}  // namespace einkorn::record
