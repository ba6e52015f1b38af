#include "base/foreign_file.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace einkorn::inline base {

namespace {

bool is_of_system(const char* path) {
  if (strncmp(path, "/dev/shm/", 9) == 0 || strncmp(path, "/dev/mqueue/", 12) == 0) return false;
  return strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0;
}

bool is_foreign(const struct stat& st) {
  if (S_ISCHR(st.st_mode) || S_ISBLK(st.st_mode)) return false;
  return st.st_uid != geteuid() && st.st_uid != 0;
}

}  // namespace

bool is_foreign(const char* path) {
  struct stat st;
  if (is_of_system(path) || lstat(path, &st) != 0) return false;
  if (is_foreign(st)) return true;
  return S_ISLNK(st.st_mode) && stat(path, &st) == 0 && is_foreign(st);
}

int open_own(const char* path, int flags, unsigned mode) {
  int fd = -1;
  if (!is_foreign(path)) {
    fd = open(path, flags | O_CLOEXEC | O_NOCTTY, mode);
    struct stat st;
    if (fd < 0 || is_of_system(path) || (fstat(fd, &st) == 0 && !is_foreign(st))) return fd;
    close(fd);
  }
  errno = EPERM;
  return -1;
}

}  // namespace einkorn::inline base
