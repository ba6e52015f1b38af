#include "report/output_file.h"
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <fmt/format.h>

namespace einkorn::report {

namespace {

// Where a link leads to, be there something or not.
std::string follow(const std::string& path) {
  if (char* real = realpath(path.c_str(), nullptr)) {
    std::string out = real;
    free(real);
    return out;
  }
  return path;
}

}  // namespace

OutputFile::~OutputFile() {
  if (file_ && file_ != stdout) fclose(file_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void OutputFile::fail(const char* what, int number) {
  if (error_.empty()) error_ = fmt::format("{} {}: {}", what, name_, std::strerror(number));
}

bool OutputFile::open(const std::string& path) {
  name_ = path;
  if (path == "-") {
    name_ = "standard output";
    file_ = stdout;
    return true;
  }
  target_ = follow(path);
  struct stat there{};
  const bool exists = stat(target_.c_str(), &there) == 0;
  if (exists && S_ISDIR(there.st_mode)) {
    fail("cannot write", EISDIR);
    return false;
  }
  if (exists && !S_ISREG(there.st_mode)) {
    file_ = fopen(target_.c_str(), "wb");
    if (!file_) fail("cannot write", errno);
    return file_ != nullptr;
  }
  if (exists && access(target_.c_str(), W_OK) != 0) {  // renaming would replace it all the same
    fail("cannot write", errno);
    return false;
  }
  temporary_ = fmt::format("{}.{}.tmp", target_, getpid());
  int fd = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0) {
    temporary_.clear();
    fail("cannot write", errno);
    return false;
  }
  if (exists && fchmod(fd, there.st_mode & 07777) != 0) fail("cannot write", errno);
  file_ = fdopen(fd, "wb");
  setvbuf(file_, nullptr, _IOFBF, 1 << 20);
  return good();
}

void OutputFile::write(const void* data, size_t bytes) {
  position_ += bytes;
  if (!good()) return;  // nothing more can come of it
  if (fwrite(data, 1, bytes, file_) != bytes) fail("cannot write", errno);
}

bool OutputFile::commit() {
  if (!file_) return false;
  if (fflush(file_) != 0) fail("cannot write", errno);
  if (file_ != stdout) {
    if (fclose(file_) != 0) fail("cannot write", errno);
    file_ = nullptr;
  }
  if (good() && !temporary_.empty()) {
    if (rename(temporary_.c_str(), target_.c_str()) == 0)
      temporary_.clear();
    else
      fail("cannot write", errno);
  }
  return good();
}

}  // namespace einkorn::report
