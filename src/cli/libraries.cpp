#include "cli/libraries.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace einkorn::cli {

namespace {

// What the dynamic linker prints with --list.
std::string list_of_libraries(const Target& target) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return "";
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    if (int nowhere = open("/dev/null", O_RDWR); nowhere >= 0)
      dup2(nowhere, STDIN_FILENO), dup2(nowhere, STDERR_FILENO);
    for (const char* name : {"LD_AUDIT", "LD_DEBUG", "LD_DEBUG_OUTPUT", "LD_VERBOSE", "LD_BIND_NOW"}) unsetenv(name);
    execl(target.linker.c_str(), target.linker.c_str(), "--list", target.loaded.c_str(), nullptr);
    _exit(127);
  }
  close(ends[1]);
  std::string text;
  std::array<char, 4096> some;
  for (ssize_t n; child > 0 && (n = read(ends[0], some.data(), some.size())) > 0;) text.append(some.data(), size_t(n));
  close(ends[0]);
  if (child > 0) waitpid(child, nullptr, 0);
  return text;
}

}  // namespace

std::vector<std::string> libraries_of(const Target& target) {
  std::vector<std::string> paths;
  if (target.linker.empty()) return paths;
  const std::string list = list_of_libraries(target);
  for (size_t at = 0; at < list.size();) {
    // <tab>NAME => PATH (0xADDRESS), or <tab>PATH (0xADDRESS)
    const size_t end = std::min(list.find('\n', at), list.size());
    std::string path = list.substr(at, end - at);
    at = end + 1;
    if (size_t address = path.rfind(" (0x"); address != std::string::npos) path.resize(address);
    if (size_t arrow = path.find(" => "); arrow != std::string::npos) path.erase(0, arrow + 4);
    path.erase(0, path.find('/'));
    if (!path.empty()) paths.push_back(std::move(path));
  }
  return paths;
}

}  // namespace einkorn::cli
