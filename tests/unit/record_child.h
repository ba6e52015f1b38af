// Runs a function in a process of its own: a recording is one per process, and some of these end badly on purpose.
#pragma once
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace einkorn::record {

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
inline constexpr bool kHasCompanion = false;  // companion.cpp
#else
inline constexpr bool kHasCompanion = true;
#endif

struct ChildResult {
  int status = -1;  // as waitpid gives it
  std::string stderr_text;
  bool ok() const { return WIFEXITED(status) && WEXITSTATUS(status) == 0; }
};

// `body` returns when done; the child then ends with 0.
inline ChildResult in_child(const std::function<void()>& body, const std::function<void(pid_t)>& meanwhile = {}) {
  int out[2];
  if (pipe(out) != 0) return {};
  pid_t pid = fork();
  if (pid == 0) {
    dup2(out[1], 2);
    close(out[0]);
    close(out[1]);
    body();
    _exit(0);
  }
  close(out[1]);
  if (meanwhile) meanwhile(pid);
  ChildResult result;
  char buffer[4096];
  for (ssize_t n; (n = read(out[0], buffer, sizeof buffer)) > 0;) result.stderr_text.append(buffer, size_t(n));
  close(out[0]);
  waitpid(pid, &result.status, 0);
  return result;
}

// From the child to its parent: so far it has come. Made before the child.
class Signal {
 public:
  Signal() {
    if (pipe(ends_) != 0) abort();
  }
  ~Signal() {
    for (int end : ends_) close(end);
  }
  void give() {
    if (write(ends_[1], "", 1) != 1) abort();
  }
  // Returns also where the child ended before.
  void wait() {
    close(std::exchange(ends_[1], -1));
    for (char c; read(ends_[0], &c, 1) < 0 && errno == EINTR;) {}
  }

 private:
  int ends_[2];
};

class TempDir {
 public:
  TempDir() {
    char name[] = "/tmp/einkorn-record-XXXXXX";
    if (!mkdtemp(name)) abort();
    path_ = name;
  }
  ~TempDir() { std::filesystem::remove_all(path_); }
  std::string file(const std::string& name) const { return (path_ / name).string(); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace einkorn::record
