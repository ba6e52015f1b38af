#include "profile/symbols_wanted.h"
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace einkorn::profile {

namespace {

namespace fs = std::filesystem;

constexpr uintmax_t kMostListBytes = 64u << 20;  // of one package

bool lists(const fs::path& list, const std::string& path) {
  std::error_code wrong;
  if (fs::file_size(list, wrong) > kMostListBytes || wrong) return false;
  std::ifstream in(list);
  for (std::string line; std::getline(in, line);)
    if (line == path) return true;
  return false;
}

// Only where packages put files: the lists are large.
std::string package_of(const std::string& path, const std::string& packages) {
  if (!path.starts_with("/usr/") || path.starts_with("/usr/local/")) return "";
  std::error_code wrong;
  for (fs::directory_iterator at(packages, wrong), end; !wrong && at != end; at.increment(wrong)) {
    if (at->path().extension() != ".list") continue;
    // Packages from before /lib became a link to /usr/lib list what they have there.
    if (!lists(at->path(), path) && !lists(at->path(), path.substr(4))) continue;
    const std::string name = at->path().stem().string();
    return name.substr(0, name.find(':'));
  }
  return "";
}

}  // namespace

WantedSymbols wanted_symbols(const std::string& path, const std::string& packages) {
  WantedSymbols out;
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return out;
  struct stat st;
  if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
    elf_version(EV_CURRENT);
    const std::unique_ptr<Elf, int (*)(Elf*)> elf(elf_begin(fd, ELF_C_READ_MMAP, nullptr), elf_end);
    out.here = elf && elf_kind(elf.get()) == ELF_K_ELF;
    const void* id = nullptr;
    const ssize_t bytes = out.here ? dwelf_elf_gnu_build_id(elf.get(), &id) : 0;
    for (ssize_t i = 0; i < bytes; ++i) {
      constexpr char kDigits[] = "0123456789abcdef";
      const unsigned char c = static_cast<const unsigned char*>(id)[i];
      if (i == 1) out.debug_file += '/';
      out.debug_file += {kDigits[c >> 4], kDigits[c & 15]};
    }
    if (!out.debug_file.empty()) out.debug_file = ".build-id/" + out.debug_file + ".debug";
  }
  close(fd);
  std::error_code wrong;
  const fs::path real = fs::canonical(path, wrong);
  if (out.here && !wrong) out.package = package_of(real.string(), packages);
  return out;
}

}  // namespace einkorn::profile
