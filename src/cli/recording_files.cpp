#include "cli/recording_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <ctime>
#include <utility>

#include "base/foreign_file.h"
#include "record/claim.h"
#include "record/file_name.h"
#include "record/system.h"

namespace einkorn::cli {

namespace {

// The name that the recorder of process `pid` makes from a pattern; empty: too long.
std::string expand(const std::string& pattern, pid_t pid) {
  char name[PATH_MAX];
  record::TextBuffer out(name, sizeof name);
  return record::expand_name(pattern.c_str(), pid, out) ? std::string(name) : "";
}

// The pattern for glob(3) that matches the names of all processes, on all hosts and of all ranks.
std::string glob_pattern(const std::string& pattern) {
  std::string out;
  for (size_t i = 0; i < pattern.size(); ++i) {
    char code = pattern[i] == '%' && i + 1 < pattern.size() ? pattern[i + 1] : 0;
    if (code == 'p' || code == 'r') out += "[0-9]*";
    else if (code == 'h') out += "*";
    if (code && strchr("prh%", code)) ++i;
    if (code && strchr("prh", code)) continue;
    if (strchr("*?[]\\", pattern[i])) out += '\\';
    out += pattern[i];
  }
  return out;
}

// app.grain -> app.*.grain: with the rank or the process number in it, see record/file_name.h.
std::string alternatives(const std::string& glob) {
  size_t slash = glob.rfind('/'), dot = glob.rfind('.');
  if (dot == std::string::npos || dot < slash + 2) dot = glob.size();
  return glob.substr(0, dot) + ".*" + glob.substr(dot);
}

// A file that is open while this lives.
struct Opened {
  explicit Opened(const std::string& path) : fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {}
  ~Opened() {
    if (fd >= 0) close(fd);
  }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;
  int fd;
};

record::Content content_of(const std::string& path, record::FileHeader& header) {
  Opened file(path);
  header = {};
  return file.fd < 0 ? record::Content::foreign : record::content_of(file.fd, header);
}

// Makes a file beside `path`, writes so many bytes to it and removes it: 0, or errno's value.
int try_out(const std::string& path, size_t bytes) {
  const std::string beside = fmt::format("{}.{}.new", path, getpid());
  int fd = open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return errno;
  std::string block(bytes, '\0');
  int error = bytes && write(fd, block.data(), bytes) != ssize_t(bytes) ? ENOSPC : 0;
  close(fd);
  unlink(beside.c_str());
  return error;
}

uint64_t new_session() {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return record::session_number(uint32_t(getpid()), uint64_t(now.tv_sec) * 1000 + uint64_t(now.tv_nsec) / 1'000'000);
}

off_t size_of(int fd) {
  struct stat st;
  return fstat(fd, &st) == 0 ? st.st_size : 0;
}

// And it has not ended, whether or not its parent has waited for it.
bool is_running(pid_t process) {
  if (kill(process, 0) != 0 && errno == ESRCH) return false;
  char text[512];
  const std::string path = fmt::format("/proc/{}/stat", process);
  const ssize_t n = record::read_file(path.c_str(), text, sizeof text - 1);
  if (n <= 0) return true;
  text[n] = 0;
  const char* name_end = strrchr(text, ')');
  return !name_end || !strchr("ZX", name_end[2]);
}

// The rest of a recording is written after its process has ended. Waits until that is done; false: it makes no
// progress.
bool wait_until_written(int fd) {
  constexpr int kPatienceMs = 5000;  // without any progress
  off_t size = size_of(fd);
  for (int waited = 0; record::is_being_written(fd); ++waited) {
    if (waited > kPatienceMs) return false;
    usleep(1000);
    if (const off_t now = size_of(fd); now != size) size = now, waited = 0;
  }
  return true;
}

}  // namespace

RecordingFiles::RecordingFiles(const std::string& name, const std::string& program)
    : pattern_(name), session_(new_session()) {
  if (pattern_.empty()) {
    for (char c : program.substr(program.rfind('/') + 1)) pattern_ += c == '%' ? "%%" : std::string(1, c);
    pattern_ += ".grain";
  }
  char cwd[PATH_MAX];
  if (pattern_ == "-" || pattern_[0] == '/' || !getcwd(cwd, sizeof cwd)) return;
  std::string folder;
  for (const char* c = cwd; *c; ++c) folder += *c == '%' ? "%%" : std::string(1, *c);
  pattern_ = folder + "/" + pattern_;
}

std::string RecordingFiles::prepare() {
  if (pattern_ == "-")
    return "a recording does not go to standard output, which is the program's. Name a file: -o FILE.";
  // With %p, tries a name that only a process of our number would use: it shows whether files can be made in the
  // folder.
  std::string path = expand(pattern_, getpid());
  if (path.empty())
    return fmt::format("the name of the recording is too long: {}. Choose a shorter one: -o FILE.", pattern_);
  struct stat st;
  const bool there = stat(path.c_str(), &st) == 0;  // not where a link leads nowhere, which may be foreign, too
  if (there && S_ISDIR(st.st_mode)) return fmt::format("{} is a directory. Name a file in it: -o FILE.", path);
  if (is_foreign(path.c_str()))
    return fmt::format("{} belongs to another user, who would get the recording. Choose another name: -o FILE.", path);
  if (there) {
    is_device_ = !S_ISREG(st.st_mode);
    if (is_device_) {
      if (access(path.c_str(), W_OK) == 0) return "";
      return fmt::format("{} cannot be written: {}. Choose another folder: -o FILE.", path, strerror(errno));
    }
    record::FileHeader header;
    if (access(path.c_str(), R_OK) != 0)
      return fmt::format("the recording {} cannot be replaced: {}. Choose another name: -o FILE.", path,
                         strerror(errno));
    if (content_of(path, header) == record::Content::foreign)
      return fmt::format("{} exists and is not a recording, so it is not overwritten. Choose another name: -o FILE.",
                         path);
  }
  // The recorder makes the file when the program first uses OpenMP, and replaces the older one only then.
  if (int error = try_out(path, 0)) {
    if (there)
      return fmt::format("the recording {} cannot be replaced: {}. Choose another name: -o FILE.", path,
                         strerror(error));
    return fmt::format("the recording {} cannot be written: {}. Choose another folder: -o FILE.", path,
                       strerror(error));
  }
  return "";
}

bool RecordingFiles::writable() const { return try_out(expand(pattern_, getpid()), 4096) == 0; }

std::string RecordingFiles::plain_name(pid_t child) const { return expand(pattern_, child); }

std::vector<RecordingFiles::File> RecordingFiles::written(pid_t child) const {
  std::vector<std::string> names;
  std::string any = glob_pattern(pattern_);
  for (const std::string& pattern : {any, alternatives(any)}) {
    glob_t found{};
    if (glob(pattern.c_str(), 0, nullptr, &found) == 0)
      for (size_t i = 0; i < found.gl_pathc; ++i) names.emplace_back(found.gl_pathv[i]);
    globfree(&found);
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  const std::string plain = plain_name(child);
  std::vector<std::pair<int, File>> files;  // the process number: which comes first
  for (const std::string& name : names) {
    struct stat st;
    if (stat(name.c_str(), &st) != 0 || !S_ISREG(st.st_mode)) continue;
    const Opened file(name);
    record::FileHeader header;
    if (file.fd < 0 || record::content_of(file.fd, header) != record::Content::recording || header.session != session_)
      continue;
    const auto process = pid_t(header.process);
    const bool runs = record::is_being_written(file.fd) && process != child && is_running(process);
    const bool whole = !runs && wait_until_written(file.fd);
    files.emplace_back(process == child ? 0 : name == plain ? 1 : 2, File{name, process, runs, whole});
  }
  std::stable_sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<File> out;
  for (auto& [order, file] : files) out.push_back(std::move(file));
  return out;
}

}  // namespace einkorn::cli
