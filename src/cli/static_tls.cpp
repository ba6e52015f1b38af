#include "cli/static_tls.h"

#include <elf.h>
#include <fmt/format.h>

#include <cstdlib>

#include "cli/mapping.h"

namespace einkorn::cli {

namespace {

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

std::string tunables_for(const std::vector<std::string>& libraries, const std::string& replaced) {
  static const std::string kName = "glibc.rtld.optional_static_tls";
  constexpr uint64_t kDefault =
      512;  // what glibc reserves there for such libraries; the C library's own is apart from it
  const char* theirs = getenv("GLIBC_TUNABLES");
  const std::string before = theirs ? theirs : "";
  if (before.find(kName) != std::string::npos) return "";  // whoever sets it knows best
  uint64_t bytes = 0;
  for (const std::string& path : libraries)
    if (replaced.empty() || path.compare(path.rfind('/') + 1, replaced.size(), replaced) != 0)
      bytes += static_tls_of(path);
  if (bytes <= kDefault) return "";
  return fmt::format("{}{}{}={}", before, before.empty() ? "" : ":", kName, kDefault + bytes);
}

}  // namespace einkorn::cli
