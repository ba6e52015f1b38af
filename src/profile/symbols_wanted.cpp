#include "profile/symbols_wanted.h"
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <sstream>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <vector>
#include "base/regular_file.h"
#include "profile/build_id.h"

namespace einkorn::profile {

namespace {

namespace fs = std::filesystem;

// What a program that PATH finds prints; empty: there is none, or it failed.
std::string output_of(std::vector<std::string> command) {
  std::vector<char*> argv;
  for (std::string& word : command) argv.push_back(word.data());
  argv.push_back(nullptr);
  int out[2];
  if (pipe2(out, O_CLOEXEC) != 0) return "";
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  const pid_t child = nothing < 0 ? -1 : fork();
  if (child == 0) {
    if (dup2(nothing, 0) == 0 && dup2(out[1], 1) == 1 && dup2(nothing, 2) == 2) execvp(argv[0], argv.data());
    _exit(127);
  }
  close(out[1]);
  if (nothing >= 0) close(nothing);
  std::string text;
  char part[4096];
  for (ssize_t n; child > 0 && ((n = read(out[0], part, sizeof part)) > 0 || (n < 0 && errno == EINTR));)
    if (n > 0) text.append(part, size_t(n));
  close(out[0]);
  int status = 0;
  while (child > 0 && waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return "";
  return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0 ? text : "";
}

// Only where packages put files; its lists are large, and dpkg's own.
std::string package_of(const std::string& path) {
  if (!path.starts_with("/usr/") || path.starts_with("/usr/local/")) return "";
  if (path.find_first_of("*?[]\\\n") != std::string::npos) return "";  // dpkg-query takes patterns
  // Packages from before /lib became a link to /usr/lib list what they have there.
  for (const std::string& file : {path, path.substr(4)}) {
    std::istringstream lines(output_of({"dpkg-query", "--search", file}));
    for (std::string line; std::getline(lines, line);) {
      // "package: /path", "package:amd64: /path", "one, another: /path"; or "diversion by package from: /path"
      const size_t at = line.rfind(": " + file);
      if (at != std::string::npos && at + 2 + file.size() == line.size() && !line.starts_with("diversion by "))
        return line.substr(0, line.find_first_of(":,"));
    }
  }
  return "";
}

}  // namespace

WantedSymbols wanted_symbols(const std::string& path) {
  WantedSymbols out;
  const int fd = open_regular(path);
  if (fd < 0) return out;
  elf_version(EV_CURRENT);
  const std::unique_ptr<Elf, int (*)(Elf*)> elf(elf_begin(fd, ELF_C_READ_MMAP, nullptr), elf_end);
  out.here = elf && elf_kind(elf.get()) == ELF_K_ELF;
  if (const std::string id = out.here ? as_hex(build_id_of(elf.get())) : ""; id.size() > 2)
    out.debug_file = ".build-id/" + id.substr(0, 2) + "/" + id.substr(2) + ".debug";
  close(fd);
  std::error_code wrong;
  const fs::path real = fs::canonical(path, wrong);
  if (out.here && !wrong) out.package = package_of(real.string());
  return out;
}

}  // namespace einkorn::profile
