#include "cli/recording_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>

#include "record/file_name.h"
#include "record/format.h"

namespace einkorn::cli {

namespace {

// The name that the recorder of process `pid` makes of a pattern; empty: too long.
std::string expand(const std::string& pattern, pid_t pid) {
  std::string with_pid;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '%' && i + 1 < pattern.size()) {
      with_pid += pattern[i + 1] == 'p' ? std::to_string(pid) : pattern.substr(i, 2);
      ++i;
    } else {
      with_pid += pattern[i];
    }
  }
  char name[PATH_MAX];
  record::TextBuffer out(name, sizeof name);
  return record::expand_name(with_pid.c_str(), out) ? std::string(name) : "";
}

// The pattern for glob(3) that matches the names of all processes, on all hosts and of all ranks.
std::string glob_pattern(const std::string& pattern) {
  std::string out;
  for (size_t i = 0; i < pattern.size(); ++i) {
    char code = pattern[i] == '%' && i + 1 < pattern.size() ? pattern[i + 1] : 0;
    if (code == 'p' || code == 'r')
      out += "[0-9]*";
    else if (code == 'h')
      out += "*";
    if (code && strchr("prh%", code)) ++i;
    if (code && strchr("prh", code)) continue;
    if (strchr("*?[]\\", pattern[i])) out += '\\';
    out += pattern[i];
  }
  return out;
}

// app.grain -> app.[0-9]*.grain, as record::alternative_name() makes them where a name is taken.
std::string alternatives(const std::string& glob) {
  size_t slash = glob.rfind('/'), dot = glob.rfind('.');
  if (dot == std::string::npos || dot < slash + 2) dot = glob.size();
  return glob.substr(0, dot) + ".[0-9]*" + glob.substr(dot);
}

enum class Content { recording, nothing, foreign };

Content content_of(const std::string& path) {
  char magic[sizeof record::kFileMagic];
  int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  ssize_t n = fd >= 0 ? read(fd, magic, sizeof magic) : -1;
  if (fd >= 0) close(fd);
  if (n == 0) return Content::nothing;
  bool ours = n == ssize_t(sizeof magic) && memcmp(magic, record::kFileMagic, sizeof magic) == 0;
  return ours ? Content::recording : Content::foreign;
}

// Makes a file of that name, writes so many bytes and removes it: 0, or errno's value.
int try_out(const std::string& path, size_t bytes) {
  int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0) return errno;
  std::string block(bytes, '\0');
  int error = bytes && write(fd, block.data(), bytes) != ssize_t(bytes) ? ENOSPC : 0;
  close(fd);
  unlink(path.c_str());
  return error;
}

}  // namespace

RecordingFiles::RecordingFiles(const std::string& name, const std::string& program) : pattern_(name) {
  if (pattern_.empty()) {
    for (char c : program.substr(program.rfind('/') + 1)) pattern_ += c == '%' ? "%%" : std::string(1, c);
    pattern_ += ".grain";
  }
  char cwd[PATH_MAX];
  if (pattern_[0] == '/' || !getcwd(cwd, sizeof cwd)) return;
  std::string folder;
  for (const char* c = cwd; *c; ++c) folder += *c == '%' ? "%%" : std::string(1, *c);
  pattern_ = folder + "/" + pattern_;
}

std::string RecordingFiles::prepare() {
  // With %p, a name that only a process of our number would use: it shows whether the folder takes files.
  std::string path = expand(pattern_, getpid());
  if (path.empty())
    return fmt::format("the name of the recording is too long: {}. Give it a shorter one: -o FILE.", pattern_);
  struct stat st;
  if (stat(path.c_str(), &st) == 0) {
    if (S_ISDIR(st.st_mode)) return fmt::format("{} is a directory. Name a file in it: -o FILE.", path);
    is_device_ = !S_ISREG(st.st_mode);
    if (is_device_) {
      if (access(path.c_str(), W_OK) == 0) return "";
      return fmt::format("{} cannot be written: {}. Choose another place: -o FILE.", path, strerror(errno));
    }
    if (content_of(path) == Content::foreign)
      return fmt::format("{} exists and is no recording, so it is not overwritten. Choose another name: -o FILE.",
                         path);
    if (unlink(path.c_str()) != 0)
      return fmt::format("the recording {} cannot be replaced: {}. Choose another name: -o FILE.", path,
                         strerror(errno));
  }
  // The recorder makes the file when the program comes to OpenMP.
  if (int error = try_out(path, 0))
    return fmt::format("the recording {} cannot be written: {}. Choose another place: -o FILE.", path, strerror(error));
  clock_gettime(CLOCK_REALTIME, &since_);
  return "";
}

bool RecordingFiles::writable() const { return try_out(expand(pattern_, getpid()), 4096) == 0; }

std::vector<std::string> RecordingFiles::written(pid_t child) const {
  std::vector<std::string> files;
  std::string any = glob_pattern(pattern_);
  for (const std::string& pattern : {any, alternatives(any)}) {
    glob_t found{};
    if (glob(pattern.c_str(), 0, nullptr, &found) == 0)
      for (size_t i = 0; i < found.gl_pathc; ++i) files.emplace_back(found.gl_pathv[i]);
    globfree(&found);
  }
  std::erase_if(files, [this](const std::string& file) {
    struct stat st;
    // A second of grace: the clock of file times is coarser, and on a file server another one.
    return stat(file.c_str(), &st) != 0 || !S_ISREG(st.st_mode) || st.st_mtim.tv_sec < since_.tv_sec - 1 ||
           content_of(file) == Content::foreign;
  });
  std::sort(files.begin(), files.end());
  files.erase(std::unique(files.begin(), files.end()), files.end());
  auto main = std::find(files.begin(), files.end(), expand(pattern_, child));
  if (main != files.end()) std::rotate(files.begin(), main, main + 1);
  return files;
}

}  // namespace einkorn::cli
