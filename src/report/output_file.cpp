#include "report/output_file.h"
#include <cerrno>
#include <charconv>
#include <climits>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>
#include <fmt/format.h>
#include "base/foreign_file.h"
#include "record/format.h"

namespace einkorn::report {

namespace {

namespace fs = std::filesystem;

struct Kept {
  dev_t device;
  ino_t inode;
};
std::vector<Kept> g_kept;

// Where a link leads to, be there something or not. Stops at a link that another user has put there.
std::string follow(std::string path) {
  std::error_code wrong;
  for (int links = 0; links < 40 && fs::is_symlink(fs::symlink_status(path, wrong)); ++links) {
    if (is_foreign(path.c_str())) break;
    const fs::path to = fs::read_symlink(path, wrong);
    if (wrong) break;
    path = to.is_absolute() ? to.string() : (fs::path(path).parent_path() / to).string();
  }
  return path;
}

// The open file that a name means; -1: it is a name like others. To open such a one again would begin at its start and
// cut off what others have written there.
int open_already(const std::string& path) {
  if (path == "-" || path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (path.rfind(folder, 0) != 0) continue;
    int fd = -1;
    const char *begin = path.data() + folder.size(), *end = path.data() + path.size();
    const auto [at, error] = std::from_chars(begin, end, fd);
    if (error == std::errc() && at == end && fd >= 0) return fd;
  }
  return -1;
}

// There only the owner of a file may replace it, and root, who would replace what somebody else has planted.
bool is_in_sticky_folder(const std::string& path) {
  const std::string folder = fs::path(path).parent_path().string();
  struct stat st;
  return stat(folder.empty() ? "." : folder.c_str(), &st) == 0 && (st.st_mode & S_ISVTX);
}

bool is_recording(const std::string& path) {
  char magic[sizeof record::kFileMagic];
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  const ssize_t n = fd >= 0 ? read(fd, magic, sizeof magic) : -1;
  if (fd >= 0) close(fd);
  return n == ssize_t(sizeof magic) && memcmp(magic, record::kFileMagic, sizeof magic) == 0;
}

}  // namespace

void keep(const std::string& path) {
  struct stat st;
  if (stat(path.c_str(), &st) == 0 && S_ISREG(st.st_mode)) g_kept.push_back({st.st_dev, st.st_ino});
}

std::string why_not(const std::string& path, Content content) {
  struct stat st;
  const int fd = open_already(path);
  if ((fd >= 0 ? fstat(fd, &st) : stat(path.c_str(), &st)) != 0 || !S_ISREG(st.st_mode)) return "";
  for (const Kept& k : g_kept)
    if (k.device == st.st_dev && k.inode == st.st_ino)
      return fmt::format("{} is itself what is read here, and would be lost: name another file", path);
  if (content == Content::other && fd < 0 && is_recording(path))
    return fmt::format("{} is a recording, which is not replaced by something else: name another file", path);
  return "";
}

OutputFile::~OutputFile() {
  if (file_ && file_ != stdout) fclose(file_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void OutputFile::fail(int number) {
  if (error_.empty()) error_ = fmt::format("cannot write {}: {}", name_, std::strerror(number));
}

bool OutputFile::open(const std::string& path, Content content) {
  name_ = path == "-" ? "standard output" : path;
  if (error_ = why_not(path, content); !error_.empty()) return false;
  if (const int fd = open_already(path); fd == STDOUT_FILENO) {
    file_ = stdout;
    return true;
  } else if (fd >= 0) {
    const int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    file_ = copy >= 0 ? fdopen(copy, "wb") : nullptr;
    if (!file_) fail(errno);
    return good();
  }
  target_ = follow(path);
  struct stat there{};
  const bool exists = lstat(target_.c_str(), &there) == 0;
  const bool foreign = is_foreign(target_.c_str());
  if (foreign && !S_ISDIR(there.st_mode) && (!S_ISREG(there.st_mode) || is_in_sticky_folder(target_))) {
    error_ = fmt::format("{} belongs to another user, who would get what is written: name another file", target_);
    return false;
  }
  if (exists && S_ISDIR(there.st_mode)) {
    fail(EISDIR);
    return false;
  }
  if (exists && !S_ISREG(there.st_mode)) {
    const int fd = open_own(target_.c_str(), O_WRONLY);
    file_ = fd >= 0 ? fdopen(fd, "wb") : nullptr;
    if (!file_) fail(errno);
    return good();
  }
  if (exists && access(target_.c_str(), W_OK) != 0) {  // renaming would replace it all the same
    fail(errno);
    return false;
  }
  return open_beside(exists && !foreign, there.st_mode & 07777);  // the mode of a foreign file is not our choice
}

bool OutputFile::open_beside(bool exists, unsigned mode) {
  const fs::path folder = fs::path(target_).parent_path();
  int fd = -1;
  for (unsigned attempt = 0; fd < 0; ++attempt) {  // a run that was killed leaves its own
    temporary_ = (folder / fmt::format(".einkorn.{}.{}.tmp", getpid(), attempt)).string();
    fd = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0 || (errno == EEXIST && attempt < 1000)) continue;
    temporary_.clear();
    fail(errno);
    return false;
  }
  if (exists && fchmod(fd, mode) != 0) fail(errno);
  file_ = fdopen(fd, "wb");
  setvbuf(file_, nullptr, _IOFBF, 1 << 20);
  return good();
}

void OutputFile::write(const void* data, size_t bytes) {
  position_ += bytes;
  if (!good()) return;  // nothing more can come of it
  if (fwrite(data, 1, bytes, file_) != bytes) fail(errno);
}

bool OutputFile::commit() {
  if (!file_ || !good()) return false;
  if (fflush(file_) != 0) fail(errno);
  // Onto the disk before the name changes: else a machine that stops has neither the old file nor the new one. And some
  // disks are found full only now. EINVAL: this file system has nothing to put it onto.
  if (good() && !temporary_.empty() && fsync(fileno(file_)) != 0 && errno != EINVAL && errno != EROFS) fail(errno);
  if (file_ != stdout) {
    if (fclose(file_) != 0) fail(errno);
    file_ = nullptr;
  }
  if (good() && !temporary_.empty()) {
    if (rename(temporary_.c_str(), target_.c_str()) == 0) temporary_.clear();
    else fail(errno);
  }
  return good();
}

std::string write_file(const std::string& path, std::string_view text) {
  OutputFile file;
  if (file.open(path)) file.write(text);
  file.commit();
  return file.error();
}

}  // namespace einkorn::report
