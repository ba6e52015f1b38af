#include "cli/static_tls.h"

#include <elf.h>
#include <fmt/format.h>

#include <cstdlib>

#include "cli/mapping.h"

namespace einkorn::cli {

namespace {

// A relocation that wants a variable's distance from the thread's pointer, where no flag tells of them: GNU ld (2.40)
// sets DF_STATIC_TLS for x86-64 and not for AArch64. 0: the flag tells.
#if defined(__aarch64__)
constexpr uint32_t kUnflagged = R_AARCH64_TLS_TPREL;
#else
constexpr uint32_t kUnflagged = 0;
#endif

struct Flags {
  bool flagged = false;
  uint64_t relocations = 0, bytes = 0;  // where these are in memory
};

Flags read_dynamic(const Mapping& file, const Elf64_Phdr& segment) {
  Flags found;
  for (uint64_t at = 0; at + sizeof(Elf64_Dyn) <= segment.p_filesz; at += sizeof(Elf64_Dyn)) {
    const auto* entry = file.as<Elf64_Dyn>(segment.p_offset + at);
    if (!entry || entry->d_tag == DT_NULL) break;
    if (entry->d_tag == DT_FLAGS) found.flagged = entry->d_un.d_val & DF_STATIC_TLS;
    if (entry->d_tag == DT_RELA) found.relocations = entry->d_un.d_ptr;
    if (entry->d_tag == DT_RELASZ) found.bytes = entry->d_un.d_val;
  }
  return found;
}

bool has_unflagged(const Mapping& file, const Elf64_Phdr* segments, unsigned count, const Flags& dynamic) {
  for (unsigned i = 0; i < count; ++i) {
    const Elf64_Phdr& s = segments[i];
    if (s.p_type != PT_LOAD || dynamic.relocations < s.p_vaddr || dynamic.relocations - s.p_vaddr >= s.p_filesz)
      continue;
    const uint64_t begin = s.p_offset + (dynamic.relocations - s.p_vaddr);
    for (uint64_t at = 0; at + sizeof(Elf64_Rela) <= dynamic.bytes; at += sizeof(Elf64_Rela)) {
      const auto* relocation = file.as<Elf64_Rela>(begin + at);
      if (!relocation) return false;
      if (ELF64_R_TYPE(relocation->r_info) == kUnflagged) return true;
    }
  }
  return false;
}

// Bytes of the static block that the library cannot do without.
uint64_t static_tls_of(const std::string& path) {
  Mapping file(path);
  const auto* header = file.as<Elf64_Ehdr>(0);
  if (!header || header->e_phentsize != sizeof(Elf64_Phdr)) return 0;
  const auto* segments = file.as<Elf64_Phdr>(header->e_phoff);
  if (!segments || !file.bytes(header->e_phoff, header->e_phnum * sizeof(Elf64_Phdr))) return 0;
  uint64_t bytes = 0;
  Flags dynamic;
  for (unsigned i = 0; i < header->e_phnum; ++i) {
    const Elf64_Phdr& s = segments[i];
    if (s.p_type == PT_TLS) bytes = s.p_memsz + s.p_align;  // wherever the previous one ends
    if (s.p_type == PT_DYNAMIC) dynamic = read_dynamic(file, s);
  }
  if (bytes == 0 || dynamic.flagged) return bytes;
  return kUnflagged && has_unflagged(file, segments, header->e_phnum, dynamic) ? bytes : 0;
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
