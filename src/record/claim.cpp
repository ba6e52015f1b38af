#include "record/claim.h"
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/foreign_file.h"
#include "record/file_name.h"
#include "record/system.h"

namespace einkorn::record {

namespace {

constexpr int kAttempts = 1000;  // a program that calls exec on itself again and again keeps its process number

// The last block of a complete recording is of type `end`, and short.
bool has_end(int fd) {
  char tail[2048];
  struct stat st;
  if (fstat(fd, &st) != 0) return false;
  const off_t from = std::max<off_t>(0, st.st_size - off_t(sizeof tail));
  const ssize_t n = pread(fd, tail, sizeof tail, from);
  for (ssize_t at = 0; at + ssize_t(sizeof(BlockHeader)) <= n; ++at) {
    BlockHeader h;
    memcpy(&h, tail + at, sizeof h);
    if (h.magic == kBlockMagic && h.type == BlockType::end &&
        at + ssize_t(sizeof h + ((h.stored_bytes + 7) & ~7u)) == n)
      return true;
  }
  return false;
}

// Is the `einkorn record` of the session still running? It is going to read the file. A process of that number that is
// another program does not count.
bool session_goes_on(uint64_t session) {
  const auto pid = pid_t(session >> 32);
  if (pid <= 0 || kill(pid, 0) != 0) return false;
  char text[64];
  snprintf(text, sizeof text, "/proc/%d/comm", int(pid));
  const ssize_t n = read_file(text, text, sizeof text - 1);
  return n < 0 || (n >= 7 && memcmp(text, "einkorn", 7) == 0);
}

uint64_t ms_of(const timespec& t) { return uint64_t(t.tv_sec) * 1000 + uint64_t(t.tv_nsec) / 1'000'000; }

// Not changed since the session began.
bool is_older(int fd, uint64_t session) {
  struct stat st;
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  const uint64_t session_for_ms = uint32_t(ms_of(now) - session);  // of 49 days
  return fstat(fd, &st) == 0 && ms_of(st.st_mtim) + session_for_ms <= ms_of(now);
}

// Takes its lock, if possible.
bool is_over(int fd, uint64_t session) {
  FileHeader header;
  if (!is_older(fd, session)) return false;
  const Content content = content_of(fd, header);
  if (content == Content::foreign || header.session == session) return false;
  if (header.session && session_goes_on(header.session)) return false;
  if (flock(fd, LOCK_EX | LOCK_NB) == 0) return true;
  return errno != EWOULDBLOCK && (content == Content::nothing || has_end(fd));
}

bool is_at(const char* path, int fd) {
  struct stat at, open;
  return stat(path, &at) == 0 && fstat(fd, &open) == 0 && at.st_dev == open.st_dev && at.st_ino == open.st_ino;
}

// A new file with a header and a lock. Its descriptor, or -1 with an errno.
int make(const char* path, const FileHeader& header) {
  const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return -1;
  int error = 0;
  // Between the two calls another session may have seen it as a recording that is over.
  if ((flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) || !is_at(path, fd)) error = EEXIST;
  if (!error) {
    SignalsHeld held;
    const ssize_t n = write(fd, &header, sizeof header);
    if (n != ssize_t(sizeof header)) {
      error = n < 0 ? errno : ENOSPC;
      unlink(path);  // no file is better than one that no reader accepts
    }
  }
  if (!error) return fd;
  close(fd);
  errno = error;
  return -1;
}

// -1: the file in the way stays (errno EEXIST), or nothing can be written there.
int replace(const char* path, const FileHeader& header) {
  errno = EEXIST;
  if (!header.session) return -1;
  // On a file server a file must be open for writing to be locked.
  int old = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (old < 0) old = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  int fd = -1, error = EEXIST;
  if (old >= 0 && is_over(old, header.session) && is_at(path, old)) {
    char beside[sizeof(Claim::path) + 32];
    snprintf(beside, sizeof beside, "%s.%llu.new", path, static_cast<unsigned long long>(header.process));
    fd = make(beside, header);
    if (fd < 0) {
      error = errno;
    } else if (rename(beside, path) != 0) {
      unlink(beside);
      close(fd);
      fd = -1;
    }
  }
  if (old >= 0) close(old);
  errno = error;
  return fd;
}

}  // namespace

uint64_t session_of_environment() {
  const char* text = getenv(kSessionVariable);
  return text ? strtoull(text, nullptr, 10) : 0;
}

Content content_of(int fd, FileHeader& header) {
  header = FileHeader{};
  const ssize_t n = pread(fd, &header, sizeof header, 0);
  if (n == 0) return Content::nothing;
  const bool ours = n >= ssize_t(sizeof kFileMagic) && memcmp(header.magic, kFileMagic, sizeof kFileMagic) == 0;
  return ours ? Content::recording : Content::foreign;
}

bool is_being_written(int fd) {
  if (flock(fd, LOCK_SH | LOCK_NB) == 0) return flock(fd, LOCK_UN), false;
  return errno == EWOULDBLOCK || !has_end(fd);
}

int claim(const char* name, const FileHeader& header, Claim& c) {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    TextBuffer path(c.path, sizeof c.path);
    if (attempt == 0) path.put(name);
    else if (!alternative_name(name, int(header.process), attempt, path)) return ENAMETOOLONG;
    if (path.full()) return ENAMETOOLONG;
    c.fd = make(c.path, header);
    struct stat st;
    if (c.fd < 0 && errno == EEXIST && attempt == 0 && !is_foreign(c.path)) {
      if (stat(c.path, &st) != 0 || S_ISREG(st.st_mode)) {
        c.fd = replace(c.path, header);
      } else {
        // A pipe or a device: there is nothing to overwrite. O_NONBLOCK: a FIFO nobody reads must not stop the program.
        c.fd = open_own(c.path, O_WRONLY | O_NONBLOCK);
        if (c.fd < 0) return errno;
        fcntl(c.fd, F_SETFL, 0);
        return 0;
      }
      if (c.fd < 0 && errno == EPERM) errno = EEXIST;  // of another user, in a folder like /tmp
    }
    c.made = c.fd >= 0;
    if (c.made) return 0;
    if (errno != EEXIST) return errno;
  }
  return EEXIST;
}

}  // namespace einkorn::record
