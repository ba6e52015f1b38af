#include "base/regular_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace einkorn::inline base {

int open_regular(const std::string& path, int flags) {
  struct stat st;
  if (stat(path.c_str(), &st) != 0) return -1;
  if (S_ISREG(st.st_mode)) {
    // Not blocking: a FIFO may have taken its place meanwhile.
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags);
    if (fd < 0 || (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))) return fd;
    close(fd);
  }
  errno = EINVAL;
  return -1;
}

}  // namespace einkorn::inline base
