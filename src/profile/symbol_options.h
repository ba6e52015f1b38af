// Where names and lines may come from, besides the files that were recorded and /usr/lib/debug.
#pragma once
#include <string>
#include <vector>

namespace einkorn::profile {

struct SymbolOptions {
  // Each as gdb's debug-file-directory (.build-id/ab/cdef.debug in it), or with files named as those that were recorded
  // (libfoo.so or libfoo.so.debug). A file counts only if it has the recorded one's build-id.
  std::vector<std::string> folders;
  // Whether servers may be asked that the user has named in DEBUGINFOD_URLS.
  bool servers = false;
};

}  // namespace einkorn::profile
