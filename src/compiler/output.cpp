#include "compiler/output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>

#include "base/foreign_file.h"

namespace einkorn::compiler {

namespace {

int write_all(int fd, const std::string& text) {
  for (size_t at = 0; at < text.size();) {
    const ssize_t n = ::write(fd, text.data() + at, text.size() - at);
    if (n > 0) at += size_t(n);
    else if (n == 0 || errno != EINTR) return n == 0 ? ENOSPC : errno;
  }
  return 0;
}

int write_and_close(int fd, const std::string& text, bool to_disk) {
  if (fd < 0) return errno;
  int wrong = write_all(fd, text);
  if (!wrong && to_disk && fsync(fd) != 0 && errno != EINVAL && errno != EROFS) wrong = errno;
  if (close(fd) != 0 && !wrong) wrong = errno;
  return wrong;
}

}  // namespace

int write_whole(const std::string& file, const std::string& text) {
  if (file == "-") return write_all(STDOUT_FILENO, text);
  struct stat st{};
  const bool exists = stat(file.c_str(), &st) == 0;
  if (exists && !S_ISREG(st.st_mode)) return write_and_close(open_own(file.c_str(), O_WRONLY | O_TRUNC), text, false);
  if (is_foreign(file.c_str())) return EPERM;
  if (exists && access(file.c_str(), W_OK) != 0) return errno;
  char real[PATH_MAX];  // a link stays one
  const std::string target = exists && realpath(file.c_str(), real) ? real : file;
  std::string beside = target + ".XXXXXX";
  const int fd = mkostemp(beside.data(), O_CLOEXEC);
  if (fd < 0) return errno;
  const mode_t mask = umask(0);
  umask(mask);
  int wrong = fchmod(fd, exists ? st.st_mode & 07777 : 0666 & ~mask) == 0 ? 0 : errno;
  if (const int unwritten = write_and_close(fd, text, true); !wrong) wrong = unwritten;
  if (!wrong && rename(beside.c_str(), target.c_str()) != 0) wrong = errno;
  if (wrong) unlink(beside.c_str());
  return wrong;
}

}  // namespace einkorn::compiler
