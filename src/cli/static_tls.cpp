#include "cli/static_tls.h"

#include <elf.h>
#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "cli/mapping.h"

namespace einkorn::cli {

namespace {

// What the dynamic linker prints with --list: the libraries that it would load, including those of LD_PRELOAD. No code
// of the program is run.
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

// Bytes of the static block that the library cannot do without.
uint64_t static_tls_of(const std::string& path) {
  Mapping file(path);
  const auto* header = file.as<Elf64_Ehdr>(0);
  if (!header || header->e_phentsize != sizeof(Elf64_Phdr)) return 0;
  uint64_t bytes = 0;
  bool must = false;
  for (unsigned i = 0; i < header->e_phnum; ++i) {
    const auto* segment = file.as<Elf64_Phdr>(header->e_phoff + uint64_t(i) * sizeof(Elf64_Phdr));
    if (!segment) return 0;
    if (segment->p_type == PT_TLS) bytes = segment->p_memsz + segment->p_align;  // wherever the previous one ends
    if (segment->p_type != PT_DYNAMIC) continue;
    for (uint64_t at = 0; at + sizeof(Elf64_Dyn) <= segment->p_filesz; at += sizeof(Elf64_Dyn)) {
      const auto* entry = file.as<Elf64_Dyn>(segment->p_offset + at);
      if (!entry || entry->d_tag == DT_NULL) break;
      if (entry->d_tag == DT_FLAGS) must = entry->d_un.d_val & DF_STATIC_TLS;
    }
  }
  return must ? bytes : 0;
}

}  // namespace

std::string tunables_for(const Target& target, const std::string& replaced) {
  static const std::string kName = "glibc.rtld.optional_static_tls";
  constexpr uint64_t kDefault =
      512;  // what glibc reserves there for such libraries; the C library's own is apart from it
  const char* theirs = getenv("GLIBC_TUNABLES");
  const std::string before = theirs ? theirs : "";
  if (target.linker.empty() || before.find(kName) != std::string::npos) return "";  // whoever sets it knows best
  uint64_t bytes = 0;
  const std::string list = list_of_libraries(target);
  for (size_t at = 0; at < list.size();) {
    // <tab>NAME => PATH (0xADDRESS), or <tab>PATH (0xADDRESS)
    const size_t end = std::min(list.find('\n', at), list.size());
    std::string path = list.substr(at, end - at);
    at = end + 1;
    if (size_t address = path.rfind(" (0x"); address != std::string::npos) path.resize(address);
    if (size_t arrow = path.find(" => "); arrow != std::string::npos) path.erase(0, arrow + 4);
    path.erase(0, path.find('/'));
    if (path.empty() || (!replaced.empty() && path.compare(path.rfind('/') + 1, replaced.size(), replaced) == 0))
      continue;
    bytes += static_tls_of(path);
  }
  if (bytes <= kDefault) return "";
  return fmt::format("{}{}{}={}", before, before.empty() ? "" : ":", kName, kDefault + bytes);
}

}  // namespace einkorn::cli
